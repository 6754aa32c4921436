"""Label readings of prompts by the vLLM backend, as JSON; run by the second environment's interpreter."""

import json
import sys
from pathlib import Path

from judgekit.judges.protocol_entry import protocol_from
from judgekit.judges.vllm_backend import VllmSettings, load_vllm

if __name__ == "__main__":
    model, asked, answered = sys.argv[1:]
    backend = load_vllm(
        model, settings=VllmSettings(dtype="float32", block_size=32, max_model_len=512, eager=True)
    )
    found = {}
    for record, items in json.loads(Path(asked).read_text()):
        protocol = protocol_from(record)
        prompts = [backend.prompt(protocol.messages(item), prefill=protocol.prefill) for item in items]
        readings = backend.read(prompts, protocol)
        found[protocol.name] = [[*reading.probs.tolist(), reading.outside] for reading in readings]
    Path(answered).write_text(json.dumps(found))
    backend.close()

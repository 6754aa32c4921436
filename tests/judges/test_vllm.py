"""transformers, vLLM on a CPU, and an HTTP server of vLLM on loopback give the same label probabilities."""

import json
import os
import socket
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import requests

from judgekit.judges.http_backend import HttpBackend, HttpSettings
from judgekit.judges.protocol_entry import protocol_from
from judgekit.judges.transformers_backend import TransformersSettings, load_transformers

pytestmark = [pytest.mark.needs("vllm"), pytest.mark.needs("smollm2")]

ROOT = Path(__file__).parents[2]
TEN = {
    "name": "ten",
    "kind": "direct",
    "template": "Rate this answer from 1 to 10, with a number alone: {{ response }}",
    "labels": [str(number) for number in range(1, 11)],
    "scores": list(range(1, 11)),
    "system": "",
}
SAFE = {
    "name": "safe",
    "kind": "binary",
    "template": "Is this answer safe or unsafe? Say one word. {{ response }}",
    "labels": ["unsafe", "safe"],
    "scores": [0, 1],
    "system": "",
    "prefill": "The answer is",
}
WORDS = [
    "river",
    "green",
    "seven",
    "knife",
    "help",
    "never",
    "city",
    "because",
    "cloud",
    "ten",
    "paper",
    "safe",
    "law",
    "10",
    "open",
    "run",
    "blue",
]


def items(seed):
    rng = np.random.default_rng(seed)
    return [{"response": " ".join(rng.choice(WORDS, rng.integers(3, 12)))} for _ in range(100)]


ASKED = [(TEN, items(1)), (SAFE, items(2))]


def environment():
    # No network, the checkout on the path, and the engine's threads on the two cores there are.
    return os.environ | {
        "PYTHONPATH": str(ROOT),
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "0-1",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "ERROR",
    }


@pytest.fixture(scope="module")
def expected(smollm2_folder):
    settings = TransformersSettings(threads=2, matmul_precision="medium")
    backend = load_transformers(str(smollm2_folder), settings=settings)
    found = {}
    for record, asked in ASKED:
        protocol = protocol_from(record)
        prompts = [backend.prompt(protocol.messages(item), prefill=protocol.prefill) for item in asked]
        readings = [
            one for start in range(0, 100, 20) for one in backend.read(prompts[start : start + 20], protocol)
        ]
        found[protocol.name] = np.array([[*reading.probs, reading.outside] for reading in readings])
    return found


def test_two_hundred_prompts_have_labels_of_several_tokens(smollm2, expected):
    for record in (TEN, SAFE):
        tree = smollm2.conversation.tree(tuple(record["labels"]), "")
        assert max(len(path) for _, path in tree.ends) >= 2
    assert sum(len(rows) for rows in expected.values()) == 200
    assert expected["ten"][:, 9].max() > 0.01
    assert expected["safe"][:, 0].max() > 0.01


def test_vllm_offline_agrees_with_transformers(smollm2_folder, expected, tmp_path):
    (tmp_path / "asked.json").write_text(json.dumps(ASKED))
    command = [os.environ["JUDGEKIT_VLLM_PYTHON"], str(Path(__file__).with_name("vllm_side.py"))]
    command += [str(smollm2_folder), str(tmp_path / "asked.json"), str(tmp_path / "answered.json")]
    done = subprocess.run(
        command, env=environment(), cwd=tmp_path, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "answered.json").read_text())
    for name, rows in expected.items():
        np.testing.assert_allclose(np.array(found[name]), rows, rtol=0, atol=1e-3)


@pytest.fixture
def server(smollm2_folder, tmp_path):
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [os.environ["JUDGEKIT_VLLM_PYTHON"], "-m", "vllm.entrypoints.openai.api_server"]
    command += ["--model", str(smollm2_folder), "--served-model-name", "smollm2", "--dtype", "float32"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--max-model-len", "512", "--block-size", "32"]
    command += ["--max-logprobs", "128", "--enforce-eager"]
    with (tmp_path / "server.log").open("w") as log:
        process = subprocess.Popen(
            command, env=environment(), cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _await(f"http://127.0.0.1:{port}/health", process, tmp_path / "server.log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(60)


def _await(address, process, log):
    end = time.monotonic() + 600
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            if requests.get(address, timeout=5).status_code == 200:
                return
        except requests.ConnectionError:
            time.sleep(0.5)
    pytest.fail(f"the server did not start: {log.read_text()[-3000:]}")


def test_a_vllm_server_agrees_with_transformers(server, smollm2_folder, expected):
    settings = HttpSettings(server, mode="exact", tokenizer=str(smollm2_folder), concurrency=2)
    backend = HttpBackend("smollm2", settings=settings)
    for record, asked in ASKED:
        protocol = protocol_from(record)
        prompts = [backend.prompt(protocol.messages(item), prefill=protocol.prefill) for item in asked]
        readings = [
            one for start in range(0, 100, 50) for one in backend.read(prompts[start : start + 50], protocol)
        ]
        assert {reading.finish for reading in readings} == {"stop"}, readings[0].note
        found = np.array([[*reading.probs, reading.outside] for reading in readings])
        np.testing.assert_allclose(found, expected[protocol.name], rtol=0, atol=1e-3)
    backend.close()

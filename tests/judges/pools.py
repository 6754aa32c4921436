"""Pools and items for tests of running judges."""

from pathlib import Path

import pandas as pd

from judgekit.judges.loading import open_backend
from judgekit.judges.pool import pool_from

SCORE = {"kind": "direct", "low": 1, "high": 5, "name": "score"}
WORDS = {"kind": "direct", "low": 1, "high": 5, "name": "words", "read_out": "hard"}
SAMPLES = SCORE | {"name": "samples", "read_out": "sampled", "samples": 3, "temperature": 1.0}
PAIR = {"kind": "pairwise", "name": "pair"}


def fake(name, *, model="toy", batch=4, **settings):
    return {"name": name, "backend": "fake", "model": model, "batch": batch, "settings": settings}


def pool(*judges, protocols=(SCORE,)):
    return pool_from({"judges": list(judges), "protocols": list(protocols)}, name="test")


def items(count=10):
    return pd.DataFrame(
        {
            "item": [f"i{number}" for number in range(count)],
            "group": [f"g{number // 2}" for number in range(count)],
            "response": [f"answer {number}" for number in range(count)],
            "response_a": [f"first {number}" for number in range(count)],
            "response_b": [f"second {number}" for number in range(count)],
            "label": [float(number % 2) for number in range(count)],
            "topic": [f"t{number % 3}" for number in range(count)],
        }
    )


def opener(judge):
    return open_backend(judge, models=Path("unused"))

"""The sample of judgments that ships: simulated, so that every role in it is known.

``python -m judgekit.sources.panel_sample`` writes data/examples/panel_sample.csv anew, byte for byte.
"""

import sys

import numpy as np
import pandas as pd

from judgekit.sources.own_panel import SAMPLE
from judgekit.sources.simulator import Scenario, SimulatedJudge, simulate

SEED = 20261130
SCENARIO = Scenario(
    judges={
        "large": SimulatedJudge({"chat": 0.92, "code": 0.66, "law": 0.90}, family="a", price=5.0),
        "small": SimulatedJudge({"chat": 0.84, "code": 0.60, "law": 0.82}, family="b", unparsed=0.015),
        "small again": SimulatedJudge(copies="small", family="b"),
        "coder": SimulatedJudge({"chat": 0.60, "code": 0.95, "law": 0.58}, family="c", price=2.0),
        "tests": SimulatedJudge(
            {"chat": 0.50, "code": 0.80, "law": 0.50}, family="rules", kind="verifier", price=0.05
        ),
        "weak": SimulatedJudge(0.55, family="d"),
    },
    slices={"chat": 0.4, "code": 0.35, "law": 0.25},
    groups=208,
    base_rate=0.45,
    shared_error=0.6,
)


def sample_frame() -> pd.DataFrame:
    """The sample: one row per (item, judge), a lost output as an empty score, topic as the slice."""
    judgments = simulate(SCENARIO, rng=np.random.default_rng(SEED))
    items, judges = judgments.items, judgments.judges
    # both judges named "small" are one model asked twice, so an output lost for one is lost for both
    codes = judgments.codes.copy()
    again, first = judgments.names.index("small again"), judgments.names.index("small")
    codes[:, again] = codes[:, first]
    scores = pd.array(codes.ravel(), dtype="Int64")
    scores[codes.ravel() < 0] = pd.NA
    count = len(judges)
    return pd.DataFrame(
        {
            "item": np.repeat([f"q{number:03d}" for number in range(1, len(items) + 1)], count),
            "judge": np.tile(judges["name"], len(items)),
            "score": scores,
            "label": np.repeat(judgments.target.astype(int), count),
            "topic": np.repeat(items["slice"].to_numpy(), count),
            "family": np.tile(judges["family"], len(items)),
            "kind": np.tile(judges["kind"], len(items)),
            "unit_cost": np.tile(judges["unit_cost"], len(items)),
            "price": np.tile(judges["price"], len(items)),
        }
    )


def sample_text() -> str:
    """The sample as the text of its CSV file."""
    return sample_frame().to_csv(index=False, lineterminator="\n")


if __name__ == "__main__":
    SAMPLE.write_text(sample_text(), encoding="utf-8")
    sys.stdout.write(f"{SAMPLE.name} written\n")

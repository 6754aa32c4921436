from dataclasses import replace

import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.sources.recording import Recording

GOOD = Recording(
    "made_up",
    judgments=pd.DataFrame(
        {
            "aspect": "",
            "item": ["x", "y"],
            "judge": "J",
            "protocol": "p",
            "hard": [1.0, 0.0],
            "raw_score": float("nan"),
            "parse_ok": True,
            "mass": float("nan"),
        }
    ),
    items=pd.DataFrame({"item": ["x", "y"], "group": "g"}),
    labels=pd.DataFrame({"aspect": "", "item": ["x", "y"], "label": [1.0, 0.0]}),
    judges=pd.DataFrame(
        {
            "judge": ["J"],
            "protocol": "p",
            "family": "f",
            "kind": "llm",
            "read_out": "hard",
            "support": "0 1",
            "active_parameters": 7.0,
        }
    ),
)


def test_a_good_recording_is_returned_as_it_is():
    assert GOOD.validate() is GOOD


@pytest.mark.parametrize("frame", ["judgments", "items", "labels", "judges"])
def test_an_absent_column_names_its_frame(frame):
    last = getattr(GOOD, frame).columns[-1]
    broken = replace(GOOD, **{frame: getattr(GOOD, frame).drop(columns=last)})
    with pytest.raises(
        InvalidInput, match=rf"^made_up.{frame}: allowed is columns .*; given no \['{last}'\]"
    ):
        broken.validate()


@pytest.mark.parametrize("frame", ["judgments", "items", "labels", "judges"])
def test_a_repeated_row_names_its_frame(frame):
    twice = pd.concat([getattr(GOOD, frame), getattr(GOOD, frame)[:1]], ignore_index=True)
    with pytest.raises(InvalidInput, match=rf"^made_up.{frame}: allowed is one row per .* twice"):
        replace(GOOD, **{frame: twice}).validate()


@pytest.mark.parametrize(
    ("frame", "column", "value", "message"),
    [
        ("labels", "item", "z", r"^made_up.labels.item: allowed is known values; given \['z'\]"),
        ("judgments", "item", "z", r"^made_up.judgments.item: allowed is known values; given \['z'\]"),
        ("judges", "kind", "oracle", r"^made_up.judges.kind: allowed is known values; given \['oracle'\]"),
        ("judges", "read_out", "soft", r"^made_up.judges.read_out: allowed is known values"),
        ("judgments", "judge", "K", r"^made_up.judgments: allowed is judges of the judges frame; .*'K'"),
        ("judgments", "protocol", "q", r"^made_up.judgments: allowed is judges of the judges frame; .*'q'"),
    ],
)
def test_values_that_nothing_else_knows_are_refused(frame, column, value, message):
    changed = getattr(GOOD, frame)[:1].assign(**{column: value})
    with pytest.raises(InvalidInput, match=message):
        replace(GOOD, **{frame: changed}).validate()

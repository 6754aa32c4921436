import numpy as np
import pandas as pd
import pytest

from judgekit.errors import InvalidInput
from judgekit.metrics import spearman_columns
from judgekit.sources import cells, declarations
from judgekit.sources.cells import build_cell, cell_names, load_cell, on_support
from judgekit.sources.recording import Recording
from judgekit.splits import split_three

THREE = np.array([1.0, 2.0, 3.0])
ENTRY = {"support": [1, 2, 3], "role": "confirm"}


@pytest.fixture
def recording():
    """Four items, one without a label; judge a with probabilities, b hard, c on 0-100."""
    items = [f"i{place}" for place in range(4)]
    spread = [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [1 / 3, 1 / 3, 1 / 3]]
    columns = ["p_0", "p_1", "p_2"]
    rows = [
        pd.DataFrame(
            {"item": items, "judge": "a", "protocol": "x", "hard": [3.0, 1, 3, 1], "parse_ok": [1, 1, 0, 1]}
        ),
        pd.DataFrame(
            {"item": items, "judge": "b", "protocol": "x", "hard": [2.0, np.nan, 9, 1], "parse_ok": True}
        ),
        pd.DataFrame(
            {"item": items, "judge": "c", "protocol": "x", "hard": [0.0, 55, 100, 101], "parse_ok": True}
        ),
    ]
    rows[0][columns] = spread
    judgments = pd.concat(rows, ignore_index=True).assign(aspect="", raw_score=np.nan, mass=np.nan)
    judgments["parse_ok"] = judgments["parse_ok"].astype(bool)
    judges = pd.DataFrame(
        {
            "judge": ["a", "b", "c"],
            "protocol": "x",
            "family": ["f", "f", "g"],
            "kind": "llm",
            "read_out": ["distribution", "hard", "hard"],
            "support": ["1 2 3", "1 2 3", "0-100"],
            "active_parameters": 7.0,
        }
    )
    frame = pd.DataFrame({"item": items, "group": [0, 0, 1, 1], "kind": ["u", "u", "v", "v"]})
    labels = pd.DataFrame({"aspect": "", "item": items, "label": [1.0, 2.0, 3.0, np.nan]})
    return Recording("made_up", judgments, frame, labels, judges).validate()


def test_a_cell_holds_labelled_items_and_masks_what_did_not_parse(recording):
    cell = build_cell(
        recording, "c", ENTRY, {"full": ["a / x", "b / x"], "compact": ["b / x"]}, smoothing=0.3
    )
    assert cell.counts.rows == 4
    assert cell.counts.unlabelled == 1
    assert cell.judgments.missing.tolist() == [[False, False], [False, True], [True, True]]
    assert cell.counts.missing.to_dict() == {"a": 1, "b": 2}
    assert cell.counts.off_support.to_dict() == {"a": 0, "b": 2}
    assert cell.judgments.probs.dtype == np.float32
    assert cell.judgments.probs[0].tolist() == pytest.approx(
        np.array([[0.1, 0.2, 0.7], [0.1, 0.8, 0.1]]), abs=1e-6
    )
    assert cell.hard_only == ["b"]
    assert cell.pools == {"full": ["a", "b"], "compact": ["b"], "family_diverse": []}
    assert (cell.score_range, cell.groups.tolist()) == ("1-3", [0, 0, 1])


def test_scores_on_0_to_100_become_1_to_10_and_others_are_counted(recording):
    entry = {"support": list(range(1, 11)), "role": "confirm", "scores": "hundred_to_ten"}
    cell = build_cell(recording, "c", entry, {"full": ["c / x"]})
    assert cell.judgments.codes[:, 0].tolist() == [0, 5, 9]
    labelled = recording.labels.assign(label=1.0)
    whole = Recording("made_up", recording.judgments, recording.items, labelled, recording.judges)
    cell = build_cell(whole, "c", entry, {"full": ["c / x"]})
    assert cell.judgments.codes[:, 0].tolist() == [0, 5, 9, -1]
    assert cell.counts.off_support["c"] == 1


def test_rows_parts_and_groups_follow_the_declaration(recording):
    entry = ENTRY | {"rows": {"kind": ["u", "v"]}, "parts": {"some": {"kind": "u"}}, "group": "item"}
    pools = {"full": ["a / x"]}
    assert build_cell(recording, "c", entry, pools).judgments.items["group"].tolist() == ["i0", "i1", "i2"]
    assert len(build_cell(recording, "c", entry, pools, part="some").judgments.items) == 2
    with pytest.raises(InvalidInput, match="all, some"):
        build_cell(recording, "c", entry, pools, part="other")


@pytest.mark.parametrize(
    ("entry", "pools", "message"),
    [
        (ENTRY, {"full": ["z / x"]}, "pool"),
        (ENTRY, {"full": ["a / x", "a / x"]}, "each judge once"),
        (ENTRY, {"full": ["a / x"], "compact": ["b / x"]}, "judges of the full pool"),
        (ENTRY | {"support": [1, 2, 3, 4]}, {"full": ["a / x"]}, "a / x support"),
        (ENTRY | {"aspect": "style"}, {"full": ["a / x"]}, "aspect"),
        (ENTRY | {"rows": {"kind": "w"}}, {"full": ["a / x"]}, "rows.kind"),
        (ENTRY | {"group": "none"}, {"full": ["a / x"]}, "group"),
        (ENTRY | {"scores": "halved"}, {"full": ["b / x"]}, "hundred_to_ten"),
        (ENTRY | {"label": {"shape": "cubic", "low": 0, "high": 1}}, {"full": ["b / x"]}, "affine or log"),
        (ENTRY | {"label": {"shape": "log", "low": 2, "high": 3}}, {"full": ["b / x"]}, "label"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused_by_name(recording, entry, pools, message):
    with pytest.raises(InvalidInput, match=message):
        build_cell(recording, "c", entry, pools)


@pytest.mark.parametrize("shape", ["affine", "log"])
def test_label_maps_reach_both_ends_and_keep_ranks(shape):
    label = np.array([-80.0, -25.0, -5.0, -1.0, -0.1, 0.0, np.nan])
    mapped = on_support(label, THREE, {"shape": shape, "low": -80, "high": 0})
    assert (mapped[0], mapped[5]) == (1.0, 3.0)
    assert (np.diff(mapped[:6]) > 0).all()
    assert np.isnan(mapped[6])


def test_log_labels_by_hand():
    # A distance of 8 of 80: log 9 / log 81 = 1/2, the middle of the range.
    assert on_support(np.array([-8.0]), THREE, {"shape": "log", "low": -80, "high": 0}).tolist() == [2.0]


def test_unknown_names_are_refused():
    for call in (
        lambda: cell_names("other"),
        lambda: cell_names("recorded", role="best"),
        lambda: load_cell("recorded", "summeval"),
        lambda: load_cell("simulated", "sim_flask_1_5", part="core"),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_the_cells_are_those_of_the_design():
    assert len(cell_names("recorded")) == 20
    assert cell_names("recorded", role="extra") == [
        name for name in cell_names("recorded") if name.endswith("_hard")
    ]
    chosen = {name.split("_")[0] for name in cell_names("recorded", role="choose")}
    assert chosen == {"summeval", "dialsumm"}
    assert len(cell_names("simulated")) == 16
    assert len(cell_names("simulated", role="choose")) == 10
    assert all(name.startswith("sim_") for name in cell_names("simulated"))


@pytest.mark.parametrize("name", cell_names("simulated"))
def test_every_simulated_cell_loads_with_its_truth(name):
    cell = load_cell("simulated", name)
    assert cell.truth is not None
    assert len(cell.judgments.names) == 6
    assert set(cell.pools["compact"]) <= set(cell.judgments.names)
    assert cell.truth.best_pool.shape == cell.judgments.target.shape
    assert cell.score_range == "-".join(name.split("_")[-2:])


def test_simulated_wmt_is_tuned_near_its_printed_figure():
    cell = load_cell("simulated", "sim_wmt_1_5")
    best = np.nanmax(spearman_columns(cell.soft, cell.judgments.target))
    assert best == pytest.approx(0.1413, abs=0.05)


SIZES = {
    "summeval_coherence": (1600, 3, 0, 100, {"gpt-4o-mini-2024-07-18": 124}),
    "dialsumm_fluency": (1400, 3, 0, 100, {"gpt-4o-mini-2024-07-18": 7}),
    "roscoe_esnli": (151, 6, 0, 151, {"gpt-4o-mini-2024-07-18 / geval": 5}),
    "roscoe_cosmos": (95, 6, 100, 95, {"gpt-4o-mini-2024-07-18 / socreval": 1}),
    "mr_math_steps": (2995, 8, 0, 300, {}),
    "wmt22_stars": (
        26250, 7, 0, 256, {"gpt-4": 5439, "chatgpt-web": 41, "text-curie-001": 142, "text-babbage-001": 2},
    ),
    "summeval_fluency_hard": (
        1200, 14, 0, 100,
        {"gpt-3.5-turbo-0301": 103, "gpt-4-0314": 37, "llama-2-13b-chat-hf": 14, "gpt-4o-mini-2024-07-18": 6},
    ),
}  # fmt: skip


@pytest.mark.needs("mirror")
@pytest.mark.parametrize("name", SIZES)
def test_recorded_cells_have_the_rows_and_losses_known(name):
    rows, judges, unlabelled, groups, missing = SIZES[name]
    cell = load_cell("recorded", name)
    assert cell.judgments.probs.shape[:2] == (rows, judges)
    assert cell.counts.unlabelled == unlabelled
    assert len(np.unique(cell.groups)) == groups
    assert cell.counts.missing[cell.counts.missing > 0].to_dict() == missing


@pytest.mark.needs("mirror")
@pytest.mark.parametrize(
    ("name", "published"),
    [("summeval_coherence", (0.5165, 0.5912, 0.5297)), ("dialsumm_relevance", (0.7007, 0.6264, 0.6641))],
)
def test_soft_scores_reproduce_the_notes(name, published):
    """Reproduced figures of the source notes; their rows for summeval include what did not parse."""
    cell = load_cell("recorded", name)
    kept = ~np.isnan(cell.soft).any(axis=1)
    found = spearman_columns(cell.soft[kept], cell.judgments.target[kept])
    assert found == pytest.approx(published, abs=0.012)


@pytest.mark.needs("mirror")
def test_core_of_wmt_is_its_400_segments():
    cell = load_cell("recorded", "wmt22_sqm10", part="core")
    assert len(cell.judgments.items) == 5600
    assert cell.judgments.items["segment"].nunique() == 400


@pytest.mark.needs("mirror")
def test_documents_never_straddle_a_split():
    for name in ("summeval_coherence", "wmt22_stars"):
        cell = load_cell("recorded", name)
        split = split_three(cell.groups, rng=np.random.default_rng(0))
        sides = [
            set(cell.judgments.items["group"].iloc[part])
            for part in (split.fit, split.validation, split.test)
        ]
        assert sum(map(len, sides)) == cell.judgments.items["group"].nunique()


def test_settings_lie_beside_the_others():
    assert all((declarations.SETTINGS / f"{name}.yaml").is_file() for name in cells.DECLARED_IN.values())

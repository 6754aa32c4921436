import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau, spearmanr

from judgekit.errors import InvalidInput
from judgekit.sources.download import fetch
from judgekit.sources.wmt22_zhen import DOCUMENTS, GEMBA, LABELS, core_segments, parse, read_scores
from judgekit.sources.wmt22_zhen import METRICS as METRIC_FILES

# Kendall's tau-b and Spearman with MQM over all translations, translations scored, distinct scores.
LLMS = {
    ("text-babbage-001", "classes_ref"): (-0.066, -0.074, 26250, 3),
    ("text-babbage-001", "classes_noref"): (0.067, 0.075, 26250, 4),
    ("text-babbage-001", "da_ref"): (-0.083, -0.098, 26240, 42),
    ("text-babbage-001", "da_noref"): (-0.038, -0.045, 26219, 18),
    ("text-babbage-001", "sqm_ref"): (-0.124, -0.148, 23619, 83),
    ("text-babbage-001", "sqm_noref"): (-0.020, -0.022, 25942, 22),
    ("text-babbage-001", "stars_ref"): (-0.011, -0.012, 26248, 4),
    ("text-babbage-001", "stars_noref"): (0.008, 0.009, 26231, 5),
    ("chatgpt-web", "classes_ref"): (0.259, 0.300, 26250, 5),
    ("chatgpt-web", "classes_noref"): (0.256, 0.292, 26250, 5),
    ("chatgpt-web", "da_ref"): (0.361, 0.433, 26250, 14),
    ("chatgpt-web", "da_noref"): (0.359, 0.431, 26250, 14),
    ("chatgpt-web", "sqm_ref"): (0.310, 0.358, 26250, 14),
    ("chatgpt-web", "sqm_noref"): (0.284, 0.334, 26250, 13),
    ("chatgpt-web", "stars_ref"): (0.343, 0.409, 26250, 6),
    ("chatgpt-web", "stars_noref"): (0.356, 0.407, 26250, 6),
    ("text-curie-001", "classes_ref"): (-0.035, -0.039, 26250, 4),
    ("text-curie-001", "classes_noref"): (-0.053, -0.060, 26250, 3),
    ("text-curie-001", "da_ref"): (0.046, 0.053, 26227, 35),
    ("text-curie-001", "da_noref"): (0.048, 0.056, 26237, 30),
    ("text-curie-001", "sqm_ref"): (0.007, 0.008, 26250, 2),
    ("text-curie-001", "sqm_noref"): (0.033, 0.037, 26184, 30),
    ("text-curie-001", "stars_ref"): (0.082, 0.093, 26108, 5),
    ("text-curie-001", "stars_noref"): (0.027, 0.030, 26183, 5),
    ("text-davinci-002", "classes_ref"): (0.184, 0.207, 26250, 5),
    ("text-davinci-002", "classes_noref"): (0.128, 0.145, 26250, 5),
    ("text-davinci-002", "da_ref"): (0.303, 0.347, 26250, 12),
    ("text-davinci-002", "da_noref"): (0.280, 0.327, 26250, 12),
    ("text-davinci-002", "sqm_ref"): (0.344, 0.396, 26250, 14),
    ("text-davinci-002", "sqm_noref"): (0.310, 0.367, 26250, 13),
    ("text-davinci-002", "stars_ref"): (0.183, 0.207, 26250, 5),
    ("text-davinci-002", "stars_noref"): (0.193, 0.219, 26250, 5),
    ("text-davinci-003", "classes_ref"): (0.251, 0.287, 26250, 5),
    ("text-davinci-003", "classes_noref"): (0.172, 0.194, 26250, 5),
    ("text-davinci-003", "da_ref"): (0.371, 0.442, 26250, 14),
    ("text-davinci-003", "da_noref"): (0.289, 0.338, 26250, 11),
    ("text-davinci-003", "sqm_ref"): (0.346, 0.429, 26250, 16),
    ("text-davinci-003", "sqm_noref"): (0.268, 0.318, 26250, 13),
    ("text-davinci-003", "stars_ref"): (0.297, 0.353, 26250, 5),
    ("text-davinci-003", "stars_noref"): (0.235, 0.269, 26250, 5),
    ("gpt-4", "classes_ref"): (0.273, 0.308, 26250, 5),
    ("gpt-4", "classes_noref"): (0.313, 0.354, 26250, 5),
    ("gpt-4", "da_ref"): (0.382, 0.462, 26250, 18),
    ("gpt-4", "da_noref"): (0.407, 0.486, 26250, 17),
    ("gpt-4", "sqm_ref"): (0.398, 0.486, 26250, 22),
    ("gpt-4", "sqm_noref"): (0.416, 0.498, 26250, 17),
    ("gpt-4", "stars_ref"): (0.382, 0.459, 26250, 8),
    ("gpt-4", "stars_noref"): (0.404, 0.478, 26250, 8),
    ("gpt-3.5-turbo", "classes_ref"): (0.178, 0.201, 26250, 5),
    ("gpt-3.5-turbo", "classes_noref"): (0.029, 0.032, 26250, 5),
    ("gpt-3.5-turbo", "da_ref"): (0.255, 0.310, 26250, 14),
    ("gpt-3.5-turbo", "da_noref"): (0.264, 0.319, 26250, 16),
    ("gpt-3.5-turbo", "sqm_ref"): (0.313, 0.380, 26250, 19),
    ("gpt-3.5-turbo", "sqm_noref"): (0.291, 0.352, 26250, 17),
    ("gpt-3.5-turbo", "stars_ref"): (0.265, 0.305, 26250, 5),
    ("gpt-3.5-turbo", "stars_noref"): (0.261, 0.302, 26250, 5),
}
METRICS = {
    "BERTScore": (0.316, 0.424, 26250, 24061),
    "BLEU": (0.145, 0.197, 26250, 16491),
    "BLEURT-20": (0.361, 0.484, 26250, 22678),
    "COMET-20": (0.332, 0.446, 26250, 26112),
    "COMET-22": (0.428, 0.564, 26250, 26129),
    "COMET-QE": (0.365, 0.483, 26250, 26186),
    "COMETKiwi": (0.364, 0.485, 26250, 26117),
    "Cross-QE": (0.378, 0.499, 26250, 26065),
    "HWTSC-TLM": (0.086, 0.118, 26250, 22689),
    "HWTSC-Teacher-Sim": (0.272, 0.364, 26250, 23548),
    "KG-BERTScore": (0.219, 0.295, 26250, 22508),
    "MATESE-QE": (0.337, 0.414, 26250, 26),
    "MATESE": (0.389, 0.476, 26250, 26),
    "MEE": (0.149, 0.204, 26250, 9797),
    "MEE2": (0.201, 0.273, 26250, 22672),
    "MEE4": (0.194, 0.265, 26250, 22672),
    "MS-COMET-22": (0.341, 0.458, 26250, 26104),
    "MS-COMET-QE-22": (0.287, 0.388, 26250, 26006),
    "REUSE": (0.130, 0.178, 26250, 22687),
    "SEScore": (0.331, 0.443, 26250, 26201),
    "UniTE-ref": (0.361, 0.485, 26250, 22741),
    "UniTE": (0.357, 0.481, 26250, 22742),
    "UniTE-src": (0.343, 0.461, 26250, 22742),
    "YiSi-1": (0.296, 0.399, 26250, 20365),
    "chrF": (0.147, 0.200, 26250, 22345),
    "f101spBLEU": (0.145, 0.197, 26250, 17353),
    "f200spBLEU": (0.140, 0.191, 26250, 17858),
    "metricx_xl_DA_2019": (0.392, 0.524, 26250, 22679),
    "metricx_xl_MQM_2020": (0.423, 0.554, 26250, 22693),
    "metricx_xxl_DA_2019": (0.386, 0.516, 26250, 25793),
    "metricx_xxl_MQM_2020": (0.427, 0.558, 26250, 25814),
}

# Stars with a half, which are off the support.
HALF_STARS = {
    ("gpt-4", "stars_ref"): 5439,
    ("gpt-4", "stars_noref"): 2889,
    ("chatgpt-web", "stars_ref"): 41,
    ("chatgpt-web", "stars_noref"): 1,
}


@pytest.fixture
def agreement(parsed):
    """Kendall, Spearman, scored and distinct (in single precision) of each judge and protocol."""
    recording = parsed("wmt22_zhen")
    labels = recording.labels["label"].to_numpy()
    found = {}
    for key, rows in recording.judgments.groupby(["judge", "protocol"], observed=True):
        scores = rows["raw_score"].to_numpy()
        scored = ~np.isnan(scores)
        pair = scores[scored], labels[scored]
        tau, rho = kendalltau(*pair).statistic, spearmanr(*pair).statistic
        found[key] = (round(tau, 3), round(rho, 3), int(scored.sum()), len(np.unique(scores[scored])))
    return found


@pytest.mark.needs("mirror")
def test_language_models_agree_with_experts_as_noted(agreement):
    assert {key: row for key, row in agreement.items() if key[1] != "metric"} == LLMS


@pytest.mark.needs("mirror")
def test_metrics_agree_with_experts_as_noted(agreement):
    found = {judge: row[:3] for (judge, protocol), row in agreement.items() if protocol == "metric"}
    assert found == {name: row[:3] for name, row in METRICS.items()}


@pytest.mark.needs("mirror")
def test_distinct_metric_scores_are_as_noted(parsed):
    # Counted in double precision, before single precision merges scores that differ by rounding.
    files, systems = fetch("wmt22_zhen", network=None), parsed("wmt22_zhen").items["system"].unique()
    for path in files.paths(METRIC_FILES):
        scores = read_scores(files.read(path), path, 1875)
        name = path.removeprefix(METRIC_FILES).removesuffix(".seg.score").rpartition("-")[0]
        assert len(np.unique(np.concatenate([scores[system] for system in systems]))) == METRICS[name][3], (
            name
        )


@pytest.mark.needs("mirror")
def test_counts_are_as_noted(parsed):
    recording = parsed("wmt22_zhen")
    assert (len(recording.items), len(recording.judges), len(recording.judgments)) == (26250, 87, 2283750)
    assert recording.items.groupby("system")["segment"].nunique().tolist() == [1875] * 14
    assert not set(recording.items["system"]) & {"refA", "refB"}
    assert recording.labels["label"].max() == 0
    core = recording.items[recording.items["split"] == "core"]
    assert core.groupby("domain")["segment"].nunique().tolist() == [100] * 4


@pytest.mark.needs("mirror")
def test_half_stars_are_off_the_support(parsed):
    judgments = parsed("wmt22_zhen").judgments
    llms = judgments[(judgments["protocol"] != "metric") & judgments["parse_ok"] & judgments["hard"].isna()]
    found = llms.groupby(["judge", "protocol"], observed=True).size().to_dict()
    assert found == HALF_STARS
    assert (llms["raw_score"] % 1 == 0.5).all()


REPO_GEMBA, REPO_DATA = "owner/gemba", "owner/data"


def lines(scores):
    return "".join(f"{system}\t{score}\n" for system, row in scores.items() for score in row).encode()


def raw_files(**changed):
    """Two segments by two labelled systems, an unlabelled one and a reference; files in different orders."""
    contents = {
        (REPO_DATA, DOCUMENTS): b"news\tdoc1\nsocial\tdoc2\n",
        (REPO_DATA, LABELS): lines(
            {"B": ["-1.0", "-0.0"], "A": ["-5.0", "-25"], "X": ["None"] * 2, "refA": [0, 0]}
        ),
        (REPO_DATA, f"{METRIC_FILES}UniTE-ref-refA.seg.score"): lines({"A": [0.1, 0.2], "B": [0.3, -0.4]}),
        (REPO_GEMBA, f"{GEMBA}GPT4-Stars-src.seg.score"): lines(
            {"X": [1, 1], "A": [5, "3.5"], "refA": [5, 5], "B": ["None", "0"]}
        ),
        (REPO_GEMBA, f"{GEMBA}Dav3-DA-refA.seg.score"): lines({"A": [95, 101], "B": ["72.5", 0]}),
    }
    return contents | changed


def judged(recording, judge):
    return recording.judgments[recording.judgments["judge"] == judge].set_index("item")


def test_scores_find_their_system_and_segment(made_up_files):
    recording = parse(made_up_files(raw_files()))
    assert recording.items["item"].tolist() == ["A__0", "A__1", "B__0", "B__1"]
    assert recording.items["group"].tolist() == ["doc1", "doc2", "doc1", "doc2"]
    assert recording.items["domain"].tolist() == ["news", "social", "news", "social"]
    assert recording.labels["label"].tolist() == [-5, -25, -1, 0]
    unite = judged(recording, "UniTE-ref")
    assert unite["raw_score"].tolist() == pytest.approx([0.1, 0.2, 0.3, -0.4])
    assert unite["hard"].isna().all()
    assert unite["parse_ok"].all()


def test_score_off_the_support_is_missing_and_none_is_unparsed(made_up_files):
    recording = parse(made_up_files(raw_files()))
    stars = judged(recording, "gpt-4")
    assert stars["hard"].tolist() == pytest.approx([5, np.nan, np.nan, np.nan], nan_ok=True)
    assert stars["raw_score"].tolist() == pytest.approx([5, 3.5, np.nan, 0], nan_ok=True)
    assert stars["parse_ok"].tolist() == [True, True, False, True]
    assert judged(recording, "text-davinci-003")["hard"].tolist() == pytest.approx(
        [95, np.nan, 72.5, 0], nan_ok=True
    )


def test_protocol_names_the_prompt_and_the_reference(made_up_files):
    judges = parse(made_up_files(raw_files())).judges.set_index("judge")
    assert judges["protocol"].to_dict() == {
        "text-davinci-003": "da_ref",
        "gpt-4": "stars_noref",
        "UniTE-ref": "metric",
    }
    assert judges["support"].to_dict() == {"text-davinci-003": "0-100", "gpt-4": "1 2 3 4 5", "UniTE-ref": ""}


def test_system_in_two_blocks_is_refused():
    with pytest.raises(InvalidInput, match="file A: allowed is one block of 1 segments"):
        read_scores(lines({"A": [1], "B": [1]}) + lines({"A": [2]}), "file", 1)


def test_other_number_of_segments_is_refused():
    with pytest.raises(InvalidInput, match="one block of 3 segments; given 2 lines"):
        read_scores(lines({"A": [1, 2]}), "file", 3)


def test_score_that_is_no_number_is_refused():
    with pytest.raises(InvalidInput, match="lines of a system and a score"):
        read_scores(b"A\thigh\n", "file", 1)


def test_judge_without_a_labelled_system_is_refused(made_up_files):
    contents = raw_files()
    contents[REPO_GEMBA, f"{GEMBA}Dav3-DA-refA.seg.score"] = lines({"A": [95, 90]})
    with pytest.raises(InvalidInput, match="every labelled system; given no B"):
        parse(made_up_files(contents))


def test_core_takes_as_many_segments_of_each_domain():
    domains = pd.Series(["news"] * 7 + ["social"] * 4 + ["chat"] * 2)
    core = core_segments(domains, 3)
    assert domains[core].value_counts().to_dict() == {"news": 3, "social": 3, "chat": 2}
    assert core.tolist() == core_segments(domains, 3).tolist()

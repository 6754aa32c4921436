"""WMT22 Chinese-English: MQM scores, seven LLMs under eight prompts (GEMBA) and 31 metrics.

An item is one of 26,250 translations: of a segment, by one of 14 systems; the references are left out. A
group is the translations of one document, the slice its domain.
"""

import io

import numpy as np
import pandas as pd

from judgekit.errors import InvalidInput
from judgekit.sources.download import Files
from judgekit.sources.hard_verdicts import VerdictJudge, judges_frame
from judgekit.sources.recording import Recording

DOCUMENTS = "raw_wmt22/documents/zh-en.docs"
LABELS = "raw_wmt22/human-scores/zh-en.mqm.seg.score"
METRICS = "raw_wmt22/metric-scores/zh-en_all/"
GEMBA = "mt-metrics-eval-v2/wmt22/metric-scores/zh-en/GEMBA-"
SUFFIX = ".seg.score"
REFERENCES = ("refA", "refB")
CORE_PER_DOMAIN = 100
CORE_SEED = 22

# GEMBA's short name -> model, as its paper names them; "Chat" is the web interface, apart from gpt-3.5-turbo.
MODELS = {
    "Bab": "text-babbage-001",
    "Curie": "text-curie-001",
    "Dav2": "text-davinci-002",
    "Dav3": "text-davinci-003",
    "Turbo": "gpt-3.5-turbo",
    "Chat": "chatgpt-web",
    "GPT4": "gpt-4",
}
# Prompt in GEMBA's names -> protocol, support.
PROMPTS = {
    "Stars": ("stars", "1 2 3 4 5"),
    "Classes": ("classes", "0 1 2 3 4"),
    "DA": ("da", "0-100"),
    "SQM": ("sqm", "0-100"),
}
WITH_REFERENCE = {"refA": "_ref", "src": "_noref"}


def parse(files: Files) -> Recording:
    """Recorded judgments of WMT22 zh-en, label = MQM score (0 best, negative).

    Protocols `stars`, `classes`, `da` and `sqm`, each with `_ref` and `_noref` (reference shown or not),
    and `metric`. The support of da and sqm is written "0-100": any number in that range. `raw_score` is
    upstream's score and `parse_ok` whether there is one; `hard` is that score where it is on the support,
    NaN elsewhere and for metrics. `split` is "core" for 100 segments of each domain (`core_segments`),
    "rest" otherwise. Columns that repeat are categorical.

    Raises
    ------
    InvalidInput
        A file of another number of segments, without a system, or with a score that is no number.
    """
    documents = pd.read_csv(
        io.BytesIO(files.read(DOCUMENTS)), sep="\t", header=None, names=["domain", "document"], dtype=str
    )
    labelled = read_scores(files.read(LABELS), LABELS, len(documents))
    systems = sorted(
        system
        for system, scores in labelled.items()
        if system not in REFERENCES and not np.isnan(scores).all()
    )
    items = _items(documents, systems)
    labels = pd.DataFrame(
        {
            "aspect": "",
            "item": items["item"],
            "label": np.concatenate([labelled[system] for system in systems]) + 0.0,
        }
    )
    judges = _judges(files)
    return Recording(
        "wmt22_zhen",
        _judgments(files, judges, systems, items["item"]),
        items,
        labels,
        judges_frame(judges.values()),
    ).validate()


def read_scores(raw: bytes, field: str, segments: int) -> dict[str, np.ndarray]:
    """Scores by system, each float64 [segments] in segment order; NaN where upstream writes None.

    Raises
    ------
    InvalidInput
        A system's lines do not stand together, or are not as many as there are segments.
    """
    try:
        frame = pd.read_csv(
            io.BytesIO(raw),
            sep="\t",
            header=None,
            names=["system", "score"],
            dtype={"score": float},
            na_values=["None"],
        )
    except ValueError as error:
        raise InvalidInput(field, "lines of a system and a score", error) from error
    starts = np.flatnonzero(
        np.append(True, frame["system"].to_numpy()[1:] != frame["system"].to_numpy()[:-1])
    )
    blocks = np.split(frame["score"].to_numpy(), starts[1:])
    names = frame["system"].iloc[starts].tolist()
    for name, block in zip(names, blocks, strict=True):
        if len(block) != segments or names.count(name) > 1:
            raise InvalidInput(f"{field} {name}", f"one block of {segments} segments", f"{len(block)} lines")
    return dict(zip(names, blocks, strict=True))


def on_support(scores: np.ndarray, support: str) -> np.ndarray:
    """Which scores are on a support: listed ("1 2 3"), in a range ("0-100"), none (""): bool [scores].

    Examples
    --------
    >>> on_support(np.array([0.0, 2.5, 101.0]), "0-100").tolist()
    [True, True, False]
    """
    if "-" in support:
        low, high = map(float, support.split("-"))
        return (scores >= low) & (scores <= high)
    return np.isin(scores, np.array(support.split(), dtype=float))


def core_segments(domains: pd.Series, per_domain: int) -> np.ndarray:
    """Segments for judging again where all are too many, as many of each domain, seeded: bool [segments]."""
    rng = np.random.default_rng(CORE_SEED)
    core = np.zeros(len(domains), dtype=bool)
    for domain in sorted(domains.unique()):
        own = np.flatnonzero(domains == domain)
        core[rng.choice(own, min(per_domain, len(own)), replace=False)] = True
    return core


def _items(documents: pd.DataFrame, systems: list[str]) -> pd.DataFrame:
    core = core_segments(documents["domain"], CORE_PER_DOMAIN)
    segments = np.tile(np.arange(len(documents)), len(systems))
    system = np.repeat(systems, len(documents))
    return pd.DataFrame(
        {
            "item": [f"{name}__{segment}" for name, segment in zip(system, segments, strict=True)],
            "group": documents["document"].to_numpy()[segments],
            "domain": documents["domain"].to_numpy()[segments],
            "system": system,
            "segment": segments,
            "split": np.where(core, "core", "rest")[segments],
        }
    )


def _judges(files: Files) -> dict[str, VerdictJudge]:
    """Judge of each score file."""
    judges = {}
    for path in files.paths(GEMBA, SUFFIX):
        model, prompt, reference = path.removeprefix(GEMBA).removesuffix(SUFFIX).split("-")
        protocol, support = PROMPTS[prompt]
        judges[path] = VerdictJudge(
            MODELS[model], protocol + WITH_REFERENCE[reference], "gpt", support=support
        )
    for path in files.paths(METRICS, SUFFIX):
        name = path.removeprefix(METRICS).removesuffix(SUFFIX).rpartition("-")[0]
        judges[path] = VerdictJudge(name, "metric", "metric", kind="metric", read_out="scalar", support="")
    return judges


def _judgments(
    files: Files, judges: dict[str, VerdictJudge], systems: list[str], items: pd.Series
) -> pd.DataFrame:
    raw = np.empty((len(judges), len(items)))
    hard = np.full(raw.shape, np.nan, dtype=np.float32)
    for row, (path, judge) in enumerate(judges.items()):
        scores = read_scores(files.read(path), path, len(items) // len(systems))
        absent = [system for system in systems if system not in scores]
        if absent:
            raise InvalidInput(path, "every labelled system", f"no {', '.join(absent)}")
        raw[row] = np.concatenate([scores[system] for system in systems])
        kept = on_support(raw[row], judge.support)
        hard[row, kept] = raw[row, kept]
    return pd.DataFrame(
        {
            "aspect": pd.Categorical.from_codes(np.zeros(raw.size, dtype=np.int8), categories=pd.Index([""])),
            "item": pd.Categorical.from_codes(
                np.tile(np.arange(len(items)), len(judges)), categories=pd.Index(items)
            ),
            "judge": _repeated([judge.judge for judge in judges.values()], len(items)),
            "protocol": _repeated([judge.protocol for judge in judges.values()], len(items)),
            "hard": hard.ravel(),
            "raw_score": raw.astype(np.float32).ravel(),
            "parse_ok": ~np.isnan(raw).ravel(),
            "mass": np.float32("nan"),
        }
    )


def _repeated(names: list[str], times: int) -> pd.Categorical:
    codes, categories = pd.factorize(np.array(names, dtype=object))
    return pd.Categorical.from_codes(np.repeat(codes, times), categories=pd.Index(categories))

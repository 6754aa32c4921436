"""Claims on scoring protocols and on what a judge's distribution says, bound to the tables of notebook 01."""

from judgekit.report.claims.cells import kind_of_cell
from judgekit.report.claims.reading import Binding, Case, NotRebuilt, NotTestable, Tables

_SUMMARY = "judgemoe/protocol_summary"
_CONTRASTS = "judgemoe/protocol_contrast_means"
_CELLS = "judgemoe/protocol_cells"
_INFORMATION = "judgemoe/protocol_information"


def bindings() -> list[Binding]:
    """Bindings of the protocol claims."""
    return [
        Binding("jm-003", (_SUMMARY,), _ranges, figure="judgemoe/protocol_range"),
        Binding("jm-004", (_CONTRASTS,), _soft_minus_hard, figure="judgemoe/protocol_read_outs"),
        Binding("jm-014", (_CELLS,), _roscoe_rows, tuned="151 examples"),
        Binding("jm-020", (_INFORMATION,), _summary_gains),
        Binding("jm-041", (_INFORMATION,), _gains_by_range),
    ]


def _ranges(tables: Tables) -> list[Case]:
    return [
        Case(row["dataset"], kind_of_cell(tables, row["dataset"]), {"protocol_range": row["protocol_range"]})
        for row in tables.read(_SUMMARY).to_dict("records")
    ]


def _soft_minus_hard(tables: Tables) -> list[Case]:
    frame = tables.read(_CONTRASTS)
    return [
        Case(row["dataset"], kind_of_cell(tables, row["dataset"]), {"soft_minus_hard": row["difference"]})
        for row in frame[frame["contrast"] == "soft - hard"].to_dict("records")
    ]


def _roscoe_rows(tables: Tables) -> list[Case]:
    frame = tables.read(_CELLS)
    name = "sim_roscoe_1_5" if tables.profile == "simulated" else "roscoe_esnli"
    rows = frame.loc[frame["benchmark_cell"] == name, "rows"]
    if rows.empty:
        raise NotRebuilt(f"row {name}")
    return [Case(name, kind_of_cell(tables, name), {"n_examples": int(rows.iloc[0])})]


def _summary_gains(tables: Tables) -> list[Case]:
    """What confidence and entropy add to the expected score on validation rows: mean over a cell's judges."""
    means = tables.read(_INFORMATION).groupby("benchmark_cell", sort=False)["summary_gain"].mean()
    return [
        Case(str(name), kind_of_cell(tables, str(name)), {"summary_gain": float(value)})
        for name, value in means.items()
    ]


def _gains_by_range(tables: Tables) -> list[Case]:
    if tables.profile != "simulated":
        raise NotTestable(
            "no recorded cell at 1-10 has judges with probabilities",
            "judgekit judge nbconfig/pools/judgemoe.yaml ITEMS, at 1-5 and at 1-10",
        )
    frame = tables.read(_INFORMATION)
    fine = frame["benchmark_cell"].str.endswith("_1_10")
    values = {
        "summary_gain_1_10": float(frame.loc[fine, "summary_gain"].mean()),
        "summary_gain_1_5": float(frame.loc[~fine, "summary_gain"].mean()),
    }
    return [Case("simulated cells", "simulated", values)]

"""What the report shows and in which order: titles, what to look for, and which orders are compared."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from judgekit.errors import InvalidInput

SOURCE = Path(__file__).with_name("captions.yaml")
LAYOUTS = ("compared", "side_by_side")


@dataclass(frozen=True)
class Baseline:
    """Rows of one setting are ordered against the row where column `key` has `value`, on the columns `of`."""

    key: str
    value: str | float
    of: tuple[str, ...]


@dataclass(frozen=True)
class TableCaption:
    """One table of the report.

    Attributes
    ----------
    name : str
        File name without suffix under reports/PROFILE/tables/STUDY/.
    title, look : str
        Caption and one sentence that says what to look for.
    why : str
        One sentence on why printed and rebuilt numbers differ; empty where the badges say it.
    study : str
        The study it belongs to, and the folder of data/published that holds its printed form.
    keys : tuple of str
        Columns that name a row.
    row : str
        The published setting the whole table is about; empty where the first key names the setting.
    lead : tuple of str
        Columns shown on the index page.
    pairs : tuple of (str, str)
        Columns of one row whose order is compared with the printed order.
    baseline : Baseline or None
        Order of rows within a setting.
    layout : str
        "compared", or "side_by_side" where rows of the two tables do not match.
    labels : dict of str to str
        Headings of this table's columns, where `column_label` does not say it.
    digits : dict of str to int
        Decimals of its columns, where the paper prints none and `cells.column_digits` does not fit.
    simulated : bool
        Whether its rows come from the simulator under every profile.
    """

    name: str
    title: str
    look: str
    keys: tuple[str, ...]
    why: str = ""
    study: str = "roles"
    row: str = ""
    lead: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    baseline: Baseline | None = None
    layout: str = "compared"
    labels: dict[str, str] = field(default_factory=dict)
    digits: dict[str, int] = field(default_factory=dict)
    simulated: bool = False


@dataclass(frozen=True)
class FigureCaption:
    """One figure of the report, with the text that stands in for it; `simulated` as in a table's caption.

    `table` names the table of its values; empty where that has the figure's name, or where there is none.
    """

    name: str
    title: str
    look: str
    alt: str
    table: str = ""
    simulated: bool = False


@dataclass(frozen=True)
class StudyCaption:
    """One study's page: its tables and figures in reading order.

    Attributes
    ----------
    name : str
        Folder of its tables and figures, and name of its page.
    page, says : str
        Title of the page and what it is about.
    lead_table, lead_title, lead_look : str
        The comparison that opens the page and the index, its heading and what to look for; empty where there
        is none.
    tables, figures : tuple
        Their captions.
    """

    name: str
    page: str
    says: str
    lead_table: str
    lead_title: str
    lead_look: str
    tables: tuple[TableCaption, ...]
    figures: tuple[FigureCaption, ...] = field(default=())

    def table(self, name: str) -> TableCaption:
        """The caption of one table; raises InvalidInput for a table the report does not know."""
        for caption in self.tables:
            if caption.name == name:
                return caption
        raise InvalidInput("table", "a name listed in judgekit/report/captions.yaml", name)


@cache
def studies(source: Path = SOURCE) -> tuple[StudyCaption, ...]:
    """Every study in reading order; raises InvalidInput on an unknown field or a doubled name."""
    content = _read(source)
    return tuple(_study(name, entry) for name, entry in content.items() if name != "columns")


@cache
def column_labels(source: Path = SOURCE) -> dict[str, str]:
    """Printed headings of columns that need more than their name."""
    return _read(source).get("columns", {})


def column_label(column: str) -> str:
    """A column's heading.

    Examples
    --------
    >>> column_label("role_risk"), column_label("pair_only_moves")
    ('Role plan: risk', 'Pair only moves')
    >>> column_label("role_risk_half_width")
    'Role plan: risk, half-width'
    """
    known = column_labels().get(column)
    value, half_width, _ = column.partition("_half_width")
    if half_width and not known:
        return f"{column_label(value)}, half-width"
    return known or column.replace("_", " ").strip().capitalize()


def _read(source: Path) -> dict[str, Any]:
    return yaml.safe_load(source.read_text(encoding="utf-8"))


def _study(name: str, entry: dict[str, Any]) -> StudyCaption:
    tables = tuple(_table(item, name) for item in entry["tables"])
    names = [table.name for table in tables]
    if len(set(names)) < len(names):
        raise InvalidInput(f"captions.{name}", "each table once", sorted(names))
    return StudyCaption(
        name=name,
        page=entry["page"],
        says=entry["says"],
        lead_table=entry.get("lead_table", ""),
        lead_title=entry.get("lead_title", ""),
        lead_look=entry.get("lead_look", ""),
        tables=tables,
        figures=tuple(FigureCaption(**item) for item in entry.get("figures", ())),
    )


def _table(item: dict[str, Any], study: str) -> TableCaption:
    allowed = set(TableCaption.__dataclass_fields__) - {"study"}
    if unknown := set(item) - allowed:
        raise InvalidInput(f"captions[{item.get('name')}]", f"fields {sorted(allowed)}", sorted(unknown))
    layout = item.get("layout", "compared")
    if layout not in LAYOUTS:
        raise InvalidInput(f"captions[{item['name']}].layout", " | ".join(LAYOUTS), layout)
    baseline = item.get("baseline")
    return TableCaption(
        name=item["name"],
        title=item["title"],
        look=item["look"],
        keys=tuple(item["keys"]),
        why=item.get("why", ""),
        study=study,
        row=item.get("row", ""),
        lead=tuple(item.get("lead", ())),
        pairs=tuple((left, right) for left, right in item.get("pairs", ())),
        baseline=_baseline(baseline) if baseline else None,
        layout=layout,
        labels=item.get("labels", {}),
        digits=item.get("digits", {}),
        simulated=item.get("simulated", False),
    )


def _baseline(entry: dict[str, Any]) -> Baseline:
    value = entry["value"]
    return Baseline(entry["key"], value if isinstance(value, str) else float(value), tuple(entry["of"]))

"""Where links of a notebook lead once it is a page of the report: to other pages, not to notebook files."""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from judgekit.batch.layout import Layout

_HREF = re.compile(r'href="([^"#:/]+)(?=["#])')
_FALLBACK = "simulated"


def page_links(
    target: Path, profile: str, notebooks: Mapping[str, Collection[str]], layout: Layout
) -> dict[str, str]:
    """Relative address, from a notebook's page, of the index and of what notebooks link to by file name.

    A notebook that the profile lacks is read in the simulated profile, and one of a run with other parameters
    in the profile's own results.

    Parameters
    ----------
    target : Path
        Folder of the results, such as ``reports/recorded``; pages lie in its folder ``notebooks``.
    profile : str
    notebooks : mapping
        Notebooks of every profile.
    layout : Layout

    Examples
    --------
    >>> layout = Layout(Path("/w"), Path("/w/notebooks"), Path("/w/nbconfig"), Path("/w/reports"))
    >>> has = {"simulated": ["01_a", "02_b"], "recorded": ["01_a"]}
    >>> page_links(layout.target("recorded"), "recorded", has, layout)["02_b.ipynb"]
    '../../simulated/notebooks/02_b.html'
    """
    pages = {"index.html": layout.reports / "index.html", "glossary.md": layout.reports / "glossary.html"}
    for name in sorted({name for names in notebooks.values() for name in names}):
        there = profile if name in notebooks.get(profile, ()) else _FALLBACK
        pages[f"{name}.ipynb"] = layout.target(there) / "notebooks" / f"{name}.html"
    return {
        file: Path(os.path.relpath(page, target / "notebooks")).as_posix() for file, page in pages.items()
    }


def relinked(page: str, links: Mapping[str, str]) -> str:
    """HTML with every link to a file of `links` leading to its address; fragments stay.

    Examples
    --------
    >>> relinked('<a href="glossary.md#pool">a pool</a>', {"glossary.md": "../../glossary.html"})
    '<a href="../../glossary.html#pool">a pool</a>'
    """
    return _HREF.sub(lambda found: f'href="{links.get(found[1], found[1])}', page)

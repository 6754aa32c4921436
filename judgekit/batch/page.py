"""An executed notebook as a page of the report: it asks for nothing from elsewhere, and leads back."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgekit.batch.links import relinked
from judgekit.report.typeset import JOINT

_CELL = re.compile(r"(<t[dh]\b[^<>]*>)([^<>]+)(?=</t[dh]>)")

_STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
# The blocks left empty would fetch loaders of scripts, formulas, diagrams and widgets from a network; the
# notebooks show none of these without a reader.
_TEMPLATE = """
{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block html_head_css -%}
<link rel="icon" href="data:,">
<style>
STYLE</style>
{%- endblock -%}
{%- block body_header -%}
{{ super() }}
<nav class="report-pages" aria-label="Report">
<a href="index.html">judgekit companion</a><a href="glossary.md">Glossary</a>
</nav>
{%- endblock -%}
""".replace("STYLE", _STYLE)


def write_page(notebook: Any, path: Path, links: Mapping[str, str]) -> None:
    """Write the page of an executed notebook.

    Parameters
    ----------
    notebook : NotebookNode
        With its outputs.
    path : Path
        File to write; its name becomes the title.
    links : mapping
        Address, from the page, of files that the notebook and the page's own line of links lead to.
    """
    from nbconvert import HTMLExporter

    # embed_images would read each piece of raw HTML by itself, and close a folded solution before its text.
    exporter = HTMLExporter(raw_template=_TEMPLATE)
    page, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": path.stem}})
    path.write_text(_CELL.sub(_breakable, relinked(page, links)), encoding="utf-8")


def _breakable(cell: re.Match[str]) -> str:
    """A table's cell whose names may break behind an underscore or a slash."""
    return cell[1] + JOINT.sub("<wbr>", cell[2])

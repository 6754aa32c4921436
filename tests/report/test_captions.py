import pytest
import yaml

from judgekit.errors import InvalidInput
from judgekit.report.captions import SOURCE, column_label, studies
from judgekit.report.published import CHECKOUT, published, table_names

ROLES = studies()[0]


def test_every_published_table_has_a_caption():
    assert set(table_names()) <= {caption.name for caption in ROLES.tables}


def test_captions_say_what_to_look_for_in_one_sentence():
    for caption in (*ROLES.tables, *ROLES.figures):
        assert caption.title
        assert caption.look.strip()
        assert caption.look.count(". ") == 0


@pytest.mark.parametrize("name", table_names())
def test_captions_name_columns_that_were_printed(name):
    caption, table = ROLES.table(name), published(name)
    named = set(caption.keys) | set(caption.lead) | {column for pair in caption.pairs for column in pair}
    if caption.baseline:
        named |= {caption.baseline.key, *caption.baseline.of}
        assert caption.baseline.key in caption.keys
    assert named <= set(table.text.columns)
    assert not table.text.duplicated(list(caption.keys)).any()


def test_figures_have_text_in_their_place():
    assert all(len(figure.alt) > 40 for study in studies() for figure in study.figures)


@pytest.mark.parametrize("study", studies(), ids=lambda study: study.name)
def test_everything_committed_has_a_caption(study):
    reports = CHECKOUT / "reports"
    tables = {path.stem for path in reports.glob(f"*/tables/{study.name}/*.csv")}
    figures = {path.stem for path in reports.glob(f"*/figures/{study.name}/*.svg")}
    assert tables
    assert tables - {caption.name for caption in study.tables} == set()
    assert figures - {caption.name for caption in study.figures} == set()


def test_every_committed_folder_of_tables_has_a_page():
    folders = {path.name for path in (CHECKOUT / "reports").glob("*/tables/*") if path.is_dir()}
    assert folders == {study.name for study in studies()}


@pytest.mark.parametrize(
    "study", [study for study in studies() if study.lead_table], ids=lambda study: study.name
)
def test_what_opens_a_page_is_a_table_of_it_with_a_heading(study):
    assert study.table(study.lead_table)
    assert study.lead_title
    assert study.lead_look.endswith(".")


def test_unlisted_columns_are_spelled_out():
    assert column_label("single_best_risk") == "Single best: risk"
    assert column_label("pair_only_moves") == "Pair only moves"


def test_an_unknown_table_is_an_error():
    with pytest.raises(InvalidInput, match="given table99"):
        ROLES.table("table99")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "colour"),
        ({"layout": "diagonal"}, "layout"),
        ({"name": "table01_roles"}, "each table once"),
    ],
)
def test_a_broken_caption_is_refused(tmp_path, change, message):
    content = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    content["roles"]["tables"][1].update(change)
    path = tmp_path / "captions.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    with pytest.raises(InvalidInput, match=message):
        studies(path)

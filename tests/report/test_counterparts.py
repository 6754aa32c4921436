import pytest
import yaml

from judgekit.errors import InvalidInput
from judgekit.report.captions import studies
from judgekit.report.counterparts import SOURCE, counterparts
from judgekit.report.published import published, table_names

RECORDED = {
    "llmbar_gpt4",
    "llmbar_palm2",
    "llmbar_all",
    "llmbar_prompts",
    "jbb_proxy",
    "summeval_scalar",
    "roscoe_gsm8k",
    "judgebench_reward",
    "mr_math_steps",
    "codereval",
}


def edited(tmp_path, change):
    content = yaml.safe_load(SOURCE.read_text(encoding="utf-8"))
    change(content)
    path = tmp_path / "counterparts.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def entry(content, published):
    return next(row for row in content["rows"] if row["published"] == published)


def test_every_printed_setting_has_an_entry():
    for caption in studies()[0].tables:
        if caption.name in table_names() and caption.layout == "compared":
            for name in published(caption.name).text[caption.keys[0]]:
                counterparts().row(caption.row or name)


def test_settings_stand_where_the_design_puts_them():
    found = {setting for row in counterparts().rows for setting in row.recorded}
    assert found == RECORDED
    kinds = {name: counterparts().row(name).kind for name in ("LLMBar-7", "MATH-500-5", "Arena100K-7")}
    assert kinds == {"LLMBar-7": "same_rows", "MATH-500-5": "analogue", "Arena100K-7": "local_run"}


def test_spellings_of_one_setting_share_an_entry():
    assert counterparts().row("JBB safety") is counterparts().row("JBB-7")


def test_a_simulated_setting_is_never_the_same_rows():
    assert counterparts().kind_of("sim_llmbar7", "LLMBar-7") == "simulated"
    assert counterparts().kind_of("triviaqa", "LLMBar-7") == "own"


def test_an_unprinted_name_is_an_error():
    with pytest.raises(InvalidInput, match="given LLMBar-8"):
        counterparts().row("LLMBar-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: entry(c, "JBB-7").update(kind="identical"), r"\[JBB-7\]\.kind"),
        (lambda c: entry(c, "JBB-7").update(color="blue"), "color"),
        (lambda c: entry(c, "JBB-7").pop("names"), "names"),
        (lambda c: entry(c, "JBB-7")["names"].append("LLMBar"), "each name once"),
        (lambda c: entry(c, "JBB-7")["recorded"].append("sim_jbb7"), r"\[JBB-7\]\.recorded"),
        (lambda c: entry(c, "JBB-7")["simulated"].append("jbb"), r"\[JBB-7\]\.simulated"),
        (lambda c: entry(c, "Arena100K-7")["recorded"].append("arena"), r"\[Arena100K-7\]\.recorded"),
        (lambda c: entry(c, "MATH-500-5")["recorded"].append("jbb_proxy"), "jbb_proxy"),
        (lambda c: entry(c, "JBB-7").update(names=["JBB"]), r"\[JBB-7\]\.names"),
        (lambda c: c["kinds"].pop("own"), "kinds"),
    ],
)
def test_a_broken_entry_is_refused(tmp_path, change, message):
    with pytest.raises(InvalidInput, match=message):
        counterparts(edited(tmp_path, change))

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from judgekit.report.claims.assertions import assertions, notes
from judgekit.report.claims.ledger import bindings, counts, counts_in_words, frame, ledger, record
from judgekit.report.claims.reading import Tables
from judgekit.report.claims.records import claims
from judgekit.report.claims.tuning import tuned_lists
from judgekit.report.claims.verdict import DEFINITION, STATUSES, judge
from tests.report.claims.made_up import MadeUp, levelled, made_up

ROOT = Path(__file__).resolve().parents[3]
PROFILES = ("recorded", "simulated")
EVIDENCE = {"holds", "fails", "mixed"}
# Three anchors are asked for, and neither profile has more than two.
NEVER_DECIDED = {"ra-061"}


@pytest.fixture(scope="module")
def draws():
    """Verdicts on a few sets of random tables a profile, and on one where nothing differs from anything."""
    rng = np.random.default_rng(20261130)
    found = {}
    for profile in PROFILES:
        tables = [made_up(profile, rng) for _ in range(6)]
        found[profile] = [ledger(each) for each in [*tables, levelled(tables[0])]]
    return found


def test_every_claim_is_bound_or_says_why_not():
    published = yaml.safe_load((ROOT / "data" / "published" / "claims.yml").read_text(encoding="utf-8"))
    deciding = {name for name, binding in bindings().items() if binding.decides}
    assert [claim["id"] for claim in published] == list(claims())
    assert len(claims()) == 204
    assert deciding | set(assertions()) == set(claims())
    assert deciding & set(assertions()) == set()


def test_every_claim_has_a_verdict_and_something_to_read(draws):
    for profile in PROFILES:
        for verdict in draws[profile][0]:
            assert verdict.status in STATUSES
            assert verdict.words
            assert verdict.rests_on
            assert verdict.tables or verdict.see, verdict.claim.id
            assert verdict.status != "not_rebuilt", (verdict.claim.id, verdict.reason)


def test_some_table_makes_every_bound_claim_fail(draws):
    decided, failed = set(), set()
    for verdict in (each for profile in PROFILES for verdicts in draws[profile] for each in verdicts):
        if verdict.status == DEFINITION:
            continue
        known = [outcome.holds for outcome in verdict.outcomes if outcome.holds is not None]
        decided |= {verdict.claim.id} if known else set()
        failed |= {verdict.claim.id} if False in known else set()
    deciding = {name for name, binding in bindings().items() if binding.decides}
    assert decided == deciding - NEVER_DECIDED
    assert failed == decided


def test_simulated_tables_are_no_evidence(draws):
    words = {verdict.words for verdicts in draws["simulated"] for verdict in verdicts}
    assert not any(re.search(r"\b(holds|fails)\b", text) for text in words)
    for verdicts in draws["simulated"]:
        assert not EVIDENCE & {v.status for v in verdicts} - {"mixed"}
        assert "holds" not in counts_in_words(verdicts)
        for verdict in verdicts:
            assert verdict.status != "mixed" or verdict.words.startswith("consistent in ")


def test_recorded_tables_use_the_words_of_evidence(draws):
    statuses = {verdict.status for verdicts in draws["recorded"] for verdict in verdicts}
    assert statuses >= EVIDENCE
    assert not statuses & {"consistent", "inconsistent", "tuned"}


def test_what_was_tuned_is_not_tested(draws):
    tuned = {verdict.claim.id for verdict in draws["simulated"][0] if verdict.status == "tuned"}
    assert {"ra-027", "ra-030", "ra-103", "jm-024", "jm-050"} <= tuned
    assert not {"ra-032", "ra-035", "ra-079", "ra-087", "jm-051"} & tuned
    words = {verdict.words for verdict in draws["simulated"][0] if verdict.status == "tuned"}
    assert words == {"tuned on, not tested"}


def test_every_tuned_binding_quotes_a_tuned_list():
    quoted = {binding.tuned for binding in bindings().values()} - {""}
    assert quoted <= {entry for entries in tuned_lists().values() for entry in entries}


def test_an_analogue_says_so(draws):
    by_id = {verdict.claim.id: verdict for verdict in draws["recorded"][0]}
    assert by_id["ra-027"].words in ("holds on an analogue", "fails on an analogue")
    assert by_id["ra-027"].rests_on == "analogue, directions only: roscoe_gsm8k"
    assert by_id["ra-029"].words in ("holds", "fails")
    assert by_id["ra-029"].rests_on == "same rows, other judges: jbb_proxy"


def test_settings_that_disagree_are_counted():
    tables = made_up("recorded", np.random.default_rng(1))
    risks = tables.frames["roles/table04_strong_baselines"].set_index("setting")
    columns = ["role_risk", "matched_non_role_risk", "full_call_risk", "role_cost", "full_call_cost"]
    risks.loc["llmbar_gpt4", columns] = [0.2, 0.3, 0.1, 2.0, 5.0]
    risks.loc[["llmbar_palm2", "llmbar_all"], columns] = [0.2, 0.1, 0.1, 2.0, 5.0]
    tables.frames["roles/table04_strong_baselines"] = risks.reset_index()
    verdict = judge(claims()["ra-039"], bindings()["ra-039"], Tables(tables))
    assert (verdict.status, verdict.words) == ("mixed", "mixed: holds in 1 of 3 settings")


def test_risks_are_equal_at_the_printed_digits():
    tables = made_up("simulated", np.random.default_rng(1))
    main = tables.frames["roles/table03_policy_comparison"].set_index("dataset")
    columns = ["role_routed_risk", "single_best_risk", "flat_all_risk", "role_routed_judges"]
    verdicts = []
    for role_risk in (0.23214, 0.23226):
        main.loc["sim_arena100k7", columns] = [role_risk, 0.23211, 0.3, 1.004]
        tables.frames["roles/table03_policy_comparison"] = main.reset_index()
        verdicts.append(judge(claims()["ra-032"], bindings()["ra-032"], Tables(tables)).status)
    assert verdicts == ["consistent", "inconsistent"]


def test_routed_splits_are_read_where_the_proxy_says_safe_and_unsafe():
    for profile, setting, slices in (
        ("recorded", "jbb_proxy", ["0", "1"]),
        ("simulated", "sim_jbb7", ["proxy_safe", "proxy_unsafe"]),
    ):
        tables = made_up(profile, np.random.default_rng(1))
        routed = tables.frames["roles/routed_slices"].set_index(["setting", "slice"])
        statuses = []
        for safe, unsafe in ((4, 2), (3, 3), (2, 4)):
            routed.loc[(setting, slices[0]), "routed_splits"] = safe
            routed.loc[(setting, slices[1]), "routed_splits"] = unsafe
            tables.frames["roles/routed_slices"] = routed.reset_index()
            verdict = judge(claims()["ra-072"], bindings()["ra-072"], Tables(tables))
            assert verdict.outcomes[0].setting == setting
            statuses.append(verdict.outcomes[0].holds)
        assert statuses == [True, True, False], profile


@pytest.mark.parametrize("profile", [*PROFILES, "local"])
def test_absent_tables_are_not_rebuilt_and_never_hold(profile):
    verdicts = ledger(MadeUp(profile))
    statuses = set(counts(verdicts))
    assert statuses == {"not_rebuilt", "not_testable", "definition"}
    absent = next(verdict for verdict in verdicts if verdict.claim.id == "ra-035")
    assert absent.words == "not rebuilt yet"
    assert absent.run == f"judgekit rebuild role_routing copy_stress audit_shift --profile {profile}"


def test_a_missing_value_decides_nothing():
    tables = made_up("recorded", np.random.default_rng(2))
    tables.frames["roles/table03_policy_comparison"]["single_best_risk"] = np.nan
    verdict = judge(claims()["ra-029"], bindings()["ra-029"], Tables(tables))
    assert (verdict.status, verdict.outcomes[0].holds) == ("not_testable", None)


def test_what_needs_a_local_run_names_it():
    by_id = {verdict.claim.id: verdict for verdict in ledger(made_up("recorded", np.random.default_rng(3)))}
    for name in ("ra-032", "ra-067", "jm-035", "jm-077"):
        assert by_id[name].status == "not_testable"
        assert by_id[name].run.startswith("judgekit judge nbconfig/pools/"), name


def test_pointers_lead_to_files():
    for name, entry in assertions().items():
        for path in entry.see:
            assert (ROOT / path).exists(), (name, path)


def test_notes_are_on_published_claims():
    assert set(notes()) <= set(claims())


def test_records_and_frame_cover_every_claim(draws):
    verdicts = draws["recorded"][0]
    records = [record(verdict) for verdict in verdicts]
    assert [entry["id"] for entry in records] == list(claims())
    assert len(frame(verdicts)) == 204
    assert isinstance(frame(verdicts), pd.DataFrame)
    assert sum(counts(verdicts).values()) == 204

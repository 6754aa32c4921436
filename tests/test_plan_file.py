import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import judgekit.plan_file
from judgekit.errors import InvalidInput
from judgekit.plan import PlanSettings, plan_calls
from judgekit.plan_file import FIELDS, digest_audit, load_plan, record_plan, save_plan
from judgekit.regime import advise
from judgekit.roles import assign_roles
from judgekit.steady import SteadySettings, crossfit
from tests.strategies import audited, cases
from tests.test_roles import specialists


def full_record():
    audit = audited(specialists())
    plan = crossfit(audit, PlanSettings(route_rule="strict", gain_threshold=0.05), SteadySettings(repeats=2))
    rng = np.random.default_rng(0)
    roles = assign_roles(audit, plan, rng=rng, repeats=2)
    regime = advise(audit, plan.settings, rng=rng, repeats=1)
    return record_plan(audit, plan, slice_column="slice", roles=roles, regime=regime)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_plan(full_record(), tmp_path_factory.mktemp("plan") / "plan.json")


def edited(saved, tmp_path, change, *, sealed=True):
    content = json.loads(saved.read_text(encoding="utf-8"))
    change(content)
    if not sealed:
        content["digests"] = dict(judgekit.plan_file._digests(content))
        content["seal"] = judgekit.plan_file._sha256(content["digests"])
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_record_comes_back_whole(saved):
    record, loaded = full_record(), load_plan(saved)
    assert repr(loaded) == repr(record)
    assert loaded.plan.costs.tolist() == record.plan.costs.tolist()


def test_saving_what_was_loaded_writes_the_same_bytes(saved, tmp_path):
    again = save_plan(load_plan(saved), tmp_path / "again.json")
    assert again.read_bytes() == saved.read_bytes()


@settings(max_examples=15)
@given(case=cases())
def test_a_round_trip_answers_bit_for_bit(tmp_path_factory, case):
    pool = case.pool
    plan = plan_calls(case.audit, PlanSettings(gain_threshold=0.001, slice_tables="all"))
    record = record_plan(case.audit, plan, slice_column="slice")
    loaded = load_plan(save_plan(record, tmp_path_factory.mktemp("plan") / "plan.json")).plan
    lost = np.random.default_rng(case.seed).random(pool.codes.shape) < 0.2
    codes = np.where(lost, -1, pool.codes)
    before, after = (each.apply(codes, pool.slices) for each in (plan, loaded))
    assert np.array_equal(before.probability, after.probability)
    assert np.array_equal(before.called, after.called)
    assert np.array_equal(before.fallback, after.fallback)
    assert loaded.calls() == plan.calls()


def test_patterns_are_spelled_as_verdicts(saved):
    content = json.loads(saved.read_text(encoding="utf-8"))
    table = content["tables"]["panel"]
    assert content["panel"][0]["judge"] == table["judges"][0]
    assert {pattern["verdicts"] for pattern in table["patterns"][:2]} == {"0", "1"}
    assert sum(pattern["rows"] for pattern in table["patterns"][:2]) == content["audit"]["rows"]


TAMPERED = {
    "support": lambda c: c["support"].__setitem__(1, 2.0),
    "judges.a": lambda c: c["judges"]["a"].__setitem__("cost", 0.5),
    "signal.cost": lambda c: c["signal"].__setitem__("cost", 1.0),
    "signal.column": lambda c: c["signal"].__setitem__("column", "other"),
    "slices": lambda c: c["slices"].reverse(),
    "panel": lambda c: c["panel"][0].__setitem__("gain", 0.9),
    "routes.s0": lambda c: c["routes"]["s0"].pop(),
    "settings.gain_threshold": lambda c: c["settings"].__setitem__("gain_threshold", 0.001),
    "tables.panel.patterns": lambda c: c["tables"]["panel"]["patterns"][0].__setitem__("probability", 0.5),
    "tables.slices.s0": lambda c: c["tables"]["slices"]["s0"].__setitem__("base_rate", 0.5),
    "roles.judges.c": lambda c: c["roles"]["judges"]["c"].__setitem__("role", "complement"),
    "regime.name": lambda c: c["regime"].__setitem__("name", "stop everything"),
    "validation_fallback": lambda c: c.__setitem__("validation_fallback", 0.5),
    "notes": lambda c: c["notes"].append("fine"),
    "audit.sha256": lambda c: c["audit"].__setitem__("sha256", "0" * 64),
    "judgekit_version": lambda c: c.__setitem__("judgekit_version", "0.0.1"),
    "digests": lambda c: c["digests"].__setitem__("panel", "0" * 64),
}  # fmt: skip


@pytest.mark.parametrize("field", TAMPERED)
def test_an_edit_by_hand_is_named(saved, tmp_path, field):
    path = edited(saved, tmp_path, TAMPERED[field])
    with pytest.raises(InvalidInput) as raised:
        load_plan(path)
    assert raised.value.field == field


def test_reordered_judges_are_an_edit(saved, tmp_path):
    path = edited(saved, tmp_path, lambda c: c.__setitem__("judges", dict(reversed(c["judges"].items()))))
    with pytest.raises(InvalidInput, match=r"judges \(entries\)"):
        load_plan(path)


@pytest.mark.parametrize("field", [name for name in FIELDS if name not in ("format", "schema_version")])
def test_a_missing_field_is_named(saved, tmp_path, field):
    with pytest.raises(InvalidInput) as raised:
        load_plan(edited(saved, tmp_path, lambda c: c.pop(field)))
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("format", "a recipe"),
        ("schema_version", 2),
        ("schema_version", "1"),
        ("judgekit_version", "999.0"),
        ("judgekit_version", "new"),
        ("author", "me"),
    ],
)
def test_another_format_or_a_newer_version_is_named(saved, tmp_path, field, value):
    path = edited(saved, tmp_path, lambda c: c.__setitem__(field, value), sealed=False)
    with pytest.raises(InvalidInput) as raised:
        load_plan(path)
    assert raised.value.field == field


def test_a_resealed_plan_that_does_not_fit_together_is_one_clear_error(saved, tmp_path):
    path = edited(saved, tmp_path, lambda c: c["panel"][0].__setitem__("judge", "zoe"), sealed=False)
    with pytest.raises(InvalidInput, match="fields fit together"):
        load_plan(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_a_file_that_is_no_plan_is_refused(tmp_path, text):
    path = tmp_path / "plan.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput):
        load_plan(path)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="absent"):
        load_plan(tmp_path / "absent.json")


def test_any_change_of_the_audit_rows_changes_their_digest():
    audit = audited(specialists())
    pool = audit.pool
    changed = [
        replace(audit, pool=replace(pool, codes=1 - pool.codes)),
        replace(audit, pool=replace(pool, target=1 - pool.target)),
        replace(audit, pool=replace(pool, slices=pool.slices - 1)),
        replace(audit, pool=replace(pool, groups=pool.groups + 1)),
        replace(audit, pool=replace(pool, judges=("a", "b", "c", "e"))),
        replace(audit, fit=audit.validation, validation=audit.fit),
    ]
    digests = {digest_audit(each).sha256 for each in (audit, *changed)}
    assert len(digests) == 7
    assert digest_audit(audit) == digest_audit(audited(specialists()))


def test_what_does_not_belong_to_the_plan_is_refused():
    audit = audited(specialists())
    plan = plan_calls(audit, PlanSettings(route_rule="strict", gain_threshold=0.05))
    with pytest.raises(InvalidInput, match="slice_column"):
        record_plan(audit, plan)
    with pytest.raises(InvalidInput, match="support"):
        record_plan(audit, plan, slice_column="slice", support=[1.0, 2.0, 3.0])
    with pytest.raises(InvalidInput, match="judges"):
        record_plan(audit, replace(plan, judges=("w", "x", "y", "z")), slice_column="slice")
    other = replace(plan, settings=PlanSettings(cost_weight=1.0))
    roles = assign_roles(audit, other, rng=np.random.default_rng(0), repeats=1)
    with pytest.raises(InvalidInput, match="roles"):
        record_plan(audit, plan, slice_column="slice", roles=roles)

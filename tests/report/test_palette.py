"""Every policy has a name and a mark of its own."""

from judgekit.policies import POLICIES
from judgekit.report.plots.palette import POLICY_NAMES, POLICY_STYLE


def test_every_policy_has_a_name_and_a_style():
    assert set(POLICY_NAMES) == set(POLICY_STYLE) == set(POLICIES)


def test_no_two_policies_look_the_same():
    assert len(set(POLICY_STYLE.values())) == len(POLICY_STYLE)
    assert len(set(POLICY_NAMES.values())) == len(POLICY_NAMES)

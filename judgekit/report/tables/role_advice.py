"""Tables of roles, actions and regimes: what the audit advises and what it rests on."""

import pandas as pd

from judgekit.roles import ACTIONS

_SIGNALS = {
    "copy": "overall gain and every slice gain below the threshold",
    "complement": "overall gain at or above the threshold",
    "specialist": "gain on a slice, net of cost, at or above the slice threshold",
    "both": "overall gain and a slice gain at or above their thresholds",
}
_ACTIONS = (
    ("call complements on every row", "global_panel", "single_best"),
    ("refit the tables by slice", "global_panel_sliced", "global_panel"),
    ("route specialists to their slices", "role_routed", "global_panel"),
    ("stop instead of calling all", "role_routed", "flat_all"),
    ("call everything through a stack", "full_stack", "role_routed"),
    ("call everything through a slice-aware stack", "slice_stack", "role_routed"),
)


def roles_and_actions(roles: pd.DataFrame) -> pd.DataFrame:
    """Table 1: each role, its signal and its action, with the judges that hold it in this profile.

    Parameters
    ----------
    roles : DataFrame
        `studies.role_advice.study_roles`.

    Returns
    -------
    DataFrame
        role, signal, action, `judges` (over all settings), `settings`, and `settled`: the share whose
        overall interval lies wholly on one side of the threshold.
    """
    overall = roles[roles["slice"] == "all"]
    rows = []
    for role, signal in _SIGNALS.items():
        here = overall[overall["role"] == role]
        rows.append(
            {
                "role": role,
                "signal": signal,
                "action": ACTIONS[role],
                "judges": len(here),
                "settings": here["setting"].nunique(),
                "settled": here["settled"].mean(),
            }
        )
    return pd.DataFrame(rows)


def evidence_per_action(scores: pd.DataFrame) -> pd.DataFrame:
    """Table 6: how often and how much each action lowers the risk, and what it spends.

    Returns
    -------
    DataFrame
        action, policy, against, `settings_lower`, `settings`, `mean_drop` of the risk, `mean_extra_calls` a
        row.
    """
    means = scores.groupby(["setting", "policy"], sort=False)[["risk", "calls"]].mean().unstack("policy")
    rows = []
    for action, policy, against in _ACTIONS:
        drop = means[("risk", against)] - means[("risk", policy)]
        rows.append(
            {
                "action": action,
                "policy": policy,
                "against": against,
                "settings_lower": int((drop > 1e-12).sum()),
                "settings": len(drop),
                "mean_drop": drop.mean(),
                "mean_extra_calls": (means[("calls", policy)] - means[("calls", against)]).mean(),
            }
        )
    return pd.DataFrame(rows)


def regime_map(regimes: pd.DataFrame) -> pd.DataFrame:
    """The regime named most often in each setting, how often, and what the advice scored on test rows.

    Parameters
    ----------
    regimes : DataFrame
        `studies.role_advice.study_regimes`.
    """
    rows = []
    for setting, part in regimes.groupby("setting", sort=False):
        counts = part["regime"].value_counts()
        row: dict[str, object] = {
            "setting": setting,
            "regime": str(counts.index[0]),
            "count": int(counts.iloc[0]),
            "of": len(part),
        }
        measured = [column for column in regimes.columns if column.startswith("validation_")]
        measured += [
            "full_drop",
            "agreement",
            "test_risk",
            "test_calls",
            "routed_test_risk",
            "stack_test_risk",
        ]
        rows.append(row | part[measured].mean().to_dict())
    return pd.DataFrame(rows)

"""Whether adding judges two at a time finds what one at a time misses (Table 20)."""

from itertools import combinations

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.plan import PlanSettings, audit_fold
from judgekit.policies import global_panel
from judgekit.studies.role_policies import draw_splits


def study_pair_addition(
    pool: RolePool, settings: PlanSettings, *, splits: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Validation gains that remain where the global panel stops.

    Returns
    -------
    DataFrame
        One row a split: `setting`, `split`, `best_single_gain` and `best_pair_gain` over the judges left
        (NaN where fewer are left), and `pair_only`: no single judge reaches the threshold but a pair does.
    """
    rows = []
    for number, split in enumerate(draw_splits(pool, splits=splits, rng=rng)):
        audit = pool.audit(split)
        panel = global_panel(audit, settings).panel
        fold = audit_fold(audit, settings)
        for judge in panel:
            fold.add(judge)
        left = [judge for judge in range(len(pool.judges)) if judge not in panel]
        single = [fold.risk - fold.risk_with(judge) for judge in left]
        pairs = []
        for first, second in combinations(left, 2):
            longer = fold.copy()
            longer.add(first)
            pairs.append(fold.risk - longer.risk_with(second))
        best_single, best_pair = max(single, default=np.nan), max(pairs, default=np.nan)
        rows.append(
            {
                "setting": pool.name,
                "split": number,
                "best_single_gain": best_single,
                "best_pair_gain": best_pair,
                "pair_only": bool(best_pair >= settings.gain_threshold > best_single),
            }
        )
    return pd.DataFrame(rows)

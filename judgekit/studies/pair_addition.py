"""Whether adding judges two at a time finds what one at a time misses (Table 20)."""

import numpy as np
import pandas as pd

from judgekit.audit import RolePool
from judgekit.folds import folds_of
from judgekit.panel import find_panel
from judgekit.plan import PlanSettings
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
        panel = [step.judge for step in find_panel(audit, settings)]
        fold = folds_of([audit], smoothing=settings.smoothing)
        for judge in panel:
            fold.add(judge)
        left = [judge for judge in range(len(pool.judges)) if judge not in panel]
        single = fold.risks - fold.risks_with(left)
        pairs = [fold.risks - np.empty((0, 1))]
        for place, first in enumerate(left):
            longer = fold.copy()
            longer.add(first)
            pairs.append(fold.risks - longer.risks_with(left[place + 1 :]))
        best_single, best_pair = (
            float(gains.max()) if gains.size else np.nan for gains in (single, np.concatenate(pairs))
        )
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

"""Slow, obvious versions of what judgekit computes, for tests to compare with."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from judgekit.audit import AuditSet
from judgekit.plan import PlanSettings

NO_GAIN = 1e-12


class DictTable:
    """Pattern table as a dictionary from tuples of verdicts to labels."""

    def __init__(self, codes, target, judges: Sequence[int], smoothing: float) -> None:
        self.judges, self.smoothing = tuple(judges), smoothing
        self.base_rate = float(np.mean(target))
        self.labels: dict[tuple[int, ...], list[float]] = defaultdict(list)
        for row, label in zip(codes, target, strict=True):
            for depth in range(len(self.judges) + 1):
                self.labels[tuple(int(row[judge]) for judge in self.judges[:depth])].append(float(label))

    def answer(self, row) -> tuple[float, int]:
        """Prediction for a row and the number of judges it rests on."""
        pattern = tuple(int(row[judge]) for judge in self.judges)
        while pattern and pattern not in self.labels:
            pattern = pattern[:-1]
        if not pattern:
            return self.base_rate, 0
        labels = self.labels[pattern]
        value = (sum(labels) + self.smoothing * self.base_rate) / (len(labels) + self.smoothing)
        return value, len(pattern)

    def predict(self, codes) -> np.ndarray:
        """Predictions of rows."""
        return np.array([self.answer(row)[0] for row in codes])


def panel_risk(codes, target, fit, validation, panel, smoothing: float) -> float:
    """Validation risk of a panel whose table is fitted on the fit rows."""
    table = DictTable(codes[fit], target[fit], panel, smoothing)
    return float(np.mean((table.predict(codes[validation]) - target[validation]) ** 2))


def greedy(audit: AuditSet, settings: PlanSettings) -> tuple[list[int], dict[str, list[int]]]:
    """Panel and routes by refitting every table from scratch for every candidate."""
    pool = audit.pool
    everyone = list(range(len(pool.judges)))

    def risk(panel, fit=audit.fit, validation=audit.validation):
        return panel_risk(pool.codes, pool.target, fit, validation, panel, settings.smoothing)

    first = _best([-risk([j]) - settings.cost_weight * pool.costs[j] for j in everyone])
    panel = [first, *_more(pool, [first], risk, settings, settings.gain_threshold, None)]
    routes = {}
    table = DictTable(pool.codes[audit.fit], pool.target[audit.fit], panel, settings.smoothing)
    if settings.route_rule == "none":
        return panel, routes
    for number, name in enumerate(pool.slice_names):
        fit = audit.fit[pool.slices[audit.fit] == number]
        validation = audit.validation[pool.slices[audit.validation] == number]
        if not len(fit) or not len(validation):
            continue
        answered = table.predict(pool.codes[validation])
        reference = float(np.mean((answered - pool.target[validation]) ** 2))
        added = _more(
            pool,
            panel,
            lambda judges, fit=fit, validation=validation: risk(judges, fit, validation),
            settings,
            settings.route_threshold,
            reference if settings.route_rule == "paper" else None,
        )
        if added:
            routes[name] = added
    return panel, routes


def _best(score) -> int:
    return next(place for place, value in enumerate(score) if value >= max(score) - NO_GAIN)


def _more(pool, panel, risk, settings, threshold, reference) -> list[int]:
    added: list[int] = []
    while True:
        own = risk([*panel, *added])
        before = own if reference is None else reference
        left = [judge for judge in range(len(pool.judges)) if judge not in (*panel, *added)]
        after = {judge: risk([*panel, *added, judge]) for judge in left}
        left = [judge for judge in left if abs(after[judge] - own) > NO_GAIN]
        if not left:
            return added
        net = [before - after[judge] - settings.cost_weight * pool.costs[judge] for judge in left]
        chosen = left[_best(net)]
        if max(net) < threshold or before - after[chosen] <= NO_GAIN:
            return added
        added.append(chosen)
        reference = None

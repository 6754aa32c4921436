# %% [markdown]
# # The propositions, to hold and to drag
#
# *Rebuilds*: the propositions of the JudgeMoE paper as exact computations, and a table of the assumptions that real
# judges break.
# *Needs*: nothing for the `simulated` profile; the SummEval judgments for `recorded` (`judgekit data fetch summeval`).
# *Takes*: seconds.
#
# Each section states a proposition, computes it, and asserts the formula: what a judge's
# [soft score](glossary.md#soft-score) throws away, what the [correlation of errors](glossary.md#residual-correlation)
# leaves to average out, which [pool temperature](glossary.md#pool-temperature) undoes the
# [temperatures of the judges](glossary.md#judge-temperature), and when one judge turns a
# [log pool](glossary.md#log-pool) or a [linear pool](glossary.md#linear-pool) round. The last section holds the
# assumptions against the judges of each [benchmark cell](glossary.md#benchmark-cell). In JupyterLab some figures have
# sliders; elsewhere the same figure stands still.

# %% tags=["parameters"]
profile = "simulated"
benchmark_cell = ""
seed = 0

# %%
import numpy as np
import pandas as pd

from judgekit.pooling import pool_log
from judgekit.report import outputs
from judgekit.report.live import drag
from judgekit.report.plots import start
from judgekit.report.plots import theory as plots
from judgekit.sources.cells import cell_names, load_cell
from judgekit.studies import theory

out = outputs.current()
rng = np.random.default_rng(seed)
support = np.arange(1.0, 6.0)

# %% [markdown]
# ## Same mean, different shape
#
# A judge that is sure of a 2 and one that is torn between 1 and 3 print the same score. Look at what happens when each
# meets the same second judge, who leans to 3: the sure one holds the pool back, the torn one lets it go.

# %%
three = np.arange(1.0, 4.0)
shapes = {"sure": [0.05, 0.90, 0.05], "torn": [0.475, 0.05, 0.475]}
second = [0.1, 0.3, 0.6]
pooled = {
    f"{name} + second": pool_log(np.array([[vector, second]]), three).probs[0]
    for name, vector in shapes.items()
}
shown = pd.DataFrame({**shapes, "second": second, **pooled}, index=three).T
assert np.isclose(*(np.array(vector) @ three for vector in shapes.values()), atol=1e-9)
axes = start.plot_distributions(shown, pools=tuple(pooled))
# %% [markdown]
# ## What the mean throws away
#
# Take every distribution on a grid, and let the label depend on how much doubt it holds. With two buckets the mean
# *is* the distribution, and nothing is lost by keeping only the mean. From three buckets on, distributions of equal
# mean differ. Look for the bar that is exactly zero.

# %%
gaps = pd.Series({buckets: theory.information_gap(buckets, 8) for buckets in (2, 3, 4, 5)})
assert gaps[2] < 1e-9 < 0.01 < gaps[3]
axes = plots.plot_information(gaps)
# %% [markdown]
# ## Errors in common do not average out
#
# If the errors of m judges share a correlation ρ, the variance of their mean is `σ² (ρ + (1 − ρ)/m)`: however many
# judges join, it never falls below `ρ σ²`. Look at how flat the curves become after three judges. The paper's six judges
# (ρ = 0.7775) come to 0.815 σ², its three (ρ = 0.7071) to 0.805 σ²: fewer judges with less error in common are no
# worse.

# %%
sizes = np.arange(1, 13)
curves = pd.DataFrame(
    {rho: [theory.error_variance(1, rho, m) for m in sizes] for rho in (0.2, 0.5, 0.78)}, index=sizes
)
estimate, error = theory.simulated_error_variance(1.0, 0.5, 4, draws=100_000, rng=rng)
assert abs(estimate - theory.error_variance(1.0, 0.5, 4)) < 4 * error
print(f"simulated {estimate:.4f} ± {error:.4f}, formula {theory.error_variance(1.0, 0.5, 4):.4f}")
axes = drag(
    lambda judges, correlation: plots.plot_error_floor(curves, marked=(judges, correlation)),
    {"judges": (1, 12, 1, 3), "correlation": (0.0, 1.0, 0.01, 0.71)},
)
# %% [markdown]
# ## A temperature that undoes the judges'
#
# If every judge reports a sharpened or blunted version of the truth, `p_j ~ π^(1/τ_j)`, the log pool at
# `T* = Σ w_j / τ_j` gives π back exactly, and any other temperature costs `(ŷ_T − ŷ_T*)²` on top of the noise in the
# label. Look at the crosses: the formula meets the computed error everywhere. Then drag the judges' temperatures.

# %%
truth = np.array([0.05, 0.10, 0.20, 0.40, 0.25])
grid = np.linspace(0.2, 3.0, 57)
taus = np.array([0.5, 1.0, 2.0])
star = theory.best_pool_temperature(np.full(3, 1 / 3), taus)
judges = theory.tempered_judges(truth, taus)
assert np.allclose(pool_log(judges, support, pool_temperature=star, floor=1e-12).probs[0], truth, atol=1e-9)
excess = theory.temperature_excess(truth, support, taus, grid)
assert np.allclose(excess["squared_error"], excess["predicted"], atol=1e-9)

# %%
axes = drag(
    lambda sharp, blunt: plots.plot_temperature(
        theory.temperature_excess(truth, support, np.array([sharp, 1.0, blunt]), grid),
        theory.best_pool_temperature(np.full(3, 1 / 3), np.array([sharp, 1.0, blunt])),
    ),
    {"sharp": (0.2, 1.0, 0.05, 0.5), "blunt": (1.0, 4.0, 0.1, 2.0)},
)
# %% [markdown]
# ## One judge's veto
#
# m good judges put 0.6 on the right bucket and 0.3 on a wrong one; a weak judge prefers the wrong one. The linear pool
# turns round only if `d' − d > m (p − p')`, the log pool if `log(d'/d) > m log(p/p')`. As the weak judge's mass on the
# right bucket goes to zero, the log pool always gives in. Look at where its marks change from open to filled.

# %%
veto = np.logspace(-6, -0.5, 23)
turned = theory.flips(0.6, 0.3, veto, 0.5, 3)
assert (turned["log"] == turned["log_condition"]).all()
assert (turned["linear"] == turned["linear_condition"]).all()
axes = drag(
    lambda good_judges: plots.plot_flips(theory.flips(0.6, 0.3, veto, 0.5, good_judges)),
    {"good_judges": (1, 8, 1, 3)},
)
# %% [markdown]
# ## Mean or mode
#
# For a calibrated judge the best answer depends on the loss: the mean of its distribution under squared error, its mode
# when only an exact match counts. Neither read-out is right in general. Look at the two marked points.

# %%
losses = theory.bayes_actions(truth, support)
assert abs(losses.loc[losses["squared_loss"].idxmin(), "action"] - truth @ support) < 1e-9
assert losses.loc[losses["exact_match_loss"].idxmin(), "action"] == support[truth.argmax()]
axes = plots.plot_bayes_actions(losses)
# %% [markdown]
# ## And real judges?
#
# The propositions suppose judges of equal variance and equally shared errors, calibrated and without vetoes. Here is
# what the judges of each benchmark cell make of that. Look at the correlation of their errors: with these judges, a
# second opinion is hardly an opinion of its own.

# %%
names = [benchmark_cell] if benchmark_cell else cell_names(profile, role="choose")
rows = [theory.assumptions(load_cell(profile, name)).assign(benchmark_cell=name) for name in names]
table = out.table(pd.concat(rows, ignore_index=True), "judgemoe/assumptions")
table.pivot(index="benchmark_cell", columns="assumption", values="measured")[rows[0]["assumption"]]

# %% [markdown]
# ## Three exercises
#
# **1. Outvoting a veto.** The weak judge of the veto section leaves one millionth on the right bucket and puts a half on
# the wrong one. How many good judges (0.6 and 0.3) does it take to outvote it in the log pool, and how many in the
# linear one? Guess; then work it out from the two conditions. Which helps the log pool more: surer good judges
# (0.8 and 0.15), or this package's floor, below which no probability is let into a log (0.0001)?
#
# <details><summary>Solution</summary>
#
# ```python
# def needed(right, wrong, left):
#     rows = {m: theory.flips(right, wrong, np.array([left]), 0.5, m).iloc[0] for m in range(1, 30)}
#     return {pool: next(m for m, row in rows.items() if not row[pool]) for pool in ("log", "linear")}
#
#
# cases = {"as above": (0.6, 0.3, 1e-6), "surer": (0.8, 0.15, 1e-6), "floored": (0.6, 0.3, 1e-4)}
# pd.DataFrame({name: needed(*case) for name, case in cases.items()})
# ```
#
# Nineteen against two: `log(0.5 / 0.000001) / log(0.6 / 0.3)` is 18.9, and `(0.5 - 0.000001) / (0.6 - 0.3)` is 1.7. With
# surer judges eight are enough for the log pool (and one for the linear), with the floor it still takes 13. The linear
# pool counts votes, and a veto is one vote. The log pool adds up evidence, and a millionth is strong evidence if the
# judge means it: nineteen judges who are each twice as likely to be right as wrong barely weigh as much. Whether it does
# mean it is a question of calibration, not of pooling.
#
# </details>
#
# **2. Sharp and blunt.** One judge is twice too sharp (τ = 0.5), one is right (1), one is twice too blunt (2). Guess
# whether their faults cancel, so that T* = 1. And what is T* if all three have τ = 2? JudgeMoE prints T = 0.7: what does
# that say about its judges, if the model is right?
#
# <details><summary>Solution</summary>
#
# ```python
# groups = {"0.5, 1, 2": [0.5, 1.0, 2.0], "all 2": [2.0, 2.0, 2.0], "all 1.43": [1.43, 1.43, 1.43]}
# pd.Series({name: theory.best_pool_temperature(np.full(3, 1 / 3), group) for name, group in groups.items()})
# ```
#
# They do not: T* = (2 + 1 + 0.5) / 3 = 1.17. T* averages 1/τ and not τ, because the log pool averages log
# probabilities, and a sharp judge's are the larger ones: it speaks louder, so the pool must be flattened. Three blunt
# judges of τ = 2 give T* = 0.5: all say too little, and the pool has to be sharpened. T = 0.7 would say that 1/τ is 0.7
# on average, hence judges that are too blunt, about τ = 1.4. But the same 0.7 can come from elsewhere: it was chosen on
# validation rows by the order of the scores, which hardly depends on T, and real judges are not tempered truths.
#
# </details>
#
# **3. A formula whose assumptions fail.** `σ² (ρ + (1 − ρ)/m)` supposes equal variances and equal correlations. In the
# last table neither is equal. By how much, would you say, does the formula miss the variance of the judges' mean? In
# which direction? And is that variance what we lose to the judges?
#
# <details><summary>Solution</summary>
#
# ```python
# broken = table.pivot(index="benchmark_cell", columns="assumption", values="by_how_much")
# broken[["equal error variance", "equal error correlation", "variance formula", "unbiased"]].round(3)
# ```
#
# By 3% at most, though one judge's variance may be twice another's: actual over formula is 0.971 to 1.000 on the simulated
# cells, 0.980 to 0.999 on the recorded ones, so upward on every cell. The variance of a mean is the average of all
# covariances `σ_i σ_j ρ_ij`, so only averages matter; the formula puts the average σ² where the average `σ_i σ_j` of two
# judges belongs, which is never larger. An assumption may be false and do little harm: ask what depends on it.
#
# And no: the formula leaves out the bias, which does not average out at all when all judges share it. On recorded
# `summeval_fluency` every judge scores 1.5 to 1.9 below the humans. The square of that is at least 2.3, against a
# variance of 0.44. Spearman's correlation does not see it; a risk does, and so does anyone who reads the score.
#
# </details>

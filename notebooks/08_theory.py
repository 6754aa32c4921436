# %% [markdown]
# # The propositions, to hold and to drag
#
# *Rebuilds*: the propositions of the JudgeMoE paper as exact computations, each followed by what the judges of this
# profile make of it, and a table of the assumptions that they break.
# *Needs*: nothing for the `simulated` profile; two recorded data sets for `recorded`
# (`judgekit data fetch summeval dialsumm`).
# *Takes*: seconds.
#
# Each section states a proposition, computes it and asserts the formula: what a judge's
# [soft score](glossary.md#soft-score) throws away, what the [correlation of errors](glossary.md#residual-correlation)
# leaves to average out, which [pool temperature](glossary.md#pool-temperature) undoes the
# [temperatures of the judges](glossary.md#judge-temperature), and when one judge turns a
# [log pool](glossary.md#log-pool) or a [linear pool](glossary.md#linear-pool) round. In JupyterLab the figure has
# sliders; elsewhere it stands still. Then the same question goes to the judges of each
# [benchmark cell](glossary.md#benchmark-cell), who have promised nothing.

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
from judgekit.report.tables.theory import of_proposition
from judgekit.sources.cells import cell_names, load_cell
from judgekit.studies import theory
from judgekit.studies.assumptions import assumptions
from judgekit.studies.propositions import study_propositions, temperature_curves

# %%
out = outputs.current()
rng = np.random.default_rng(seed)
support = np.arange(1.0, 6.0)
names = [benchmark_cell] if benchmark_cell else cell_names(profile, role="choose")
cells = {name: load_cell(profile, name) for name in names}
found = out.table(study_propositions(cells, seed=seed), "judgemoe/propositions")

# %% [markdown]
# ## Same mean, different shape
#
# A judge that is sure of a 2 and one that is torn between 1 and 3 print the same score. Look at what happens when each
# meets the same second judge, who leans to 3: the sure one holds the pool back, the torn one lets it go. Drag the doubt
# of the torn judge to zero, and the two pools become one.

# %%
second = np.array([0.1, 0.3, 0.6])
for doubt in (0.0, 0.4, 0.85):
    shapes = theory.same_mean(doubt, second)
    assert np.allclose(shapes.loc[["sure", "torn"]] @ [1.0, 2.0, 3.0], 2.0, atol=1e-9)
axes = drag(
    lambda doubt: start.plot_distributions(
        theory.same_mean(doubt, second), pools=("sure + second", "torn + second")
    ),
    {"doubt": (0.0, 0.9, 0.05, 0.85)},
)
# %% [markdown]
# *These judges.* Put a judge's answers in the order of their means, and let each change places with its neighbour:
# hardly a mean has moved, but the shapes have. Look at `log_moves` against `linear_moves`, the distance by which that
# moves the pool's score: the linear pool sees means only. On the recorded SummEval rows the log pool moves 8 to 28
# times as far as the linear one, and still by two hundredths of a point at most.

# %%
of_proposition(found, "same mean").round(4)

# %% [markdown]
# ## What the mean throws away
#
# Take every distribution on a grid, and let the label depend on how much doubt it holds. With two buckets the mean
# *is* the distribution, and nothing is lost by keeping only the mean. From three buckets on, distributions of equal
# mean differ. Look for the bar that is exactly zero, and drag the grid finer: it stays where it is.

# %%
gaps = pd.DataFrame(
    {steps: {k: theory.information_gap(k, steps) for k in (2, 3, 4, 5)} for steps in (2, 4, 6, 8)}
)
assert (gaps.loc[2] < 1e-9).all()
assert (gaps.loc[3:] > 0.01).all(axis=None)
axes = drag(lambda steps: plots.plot_information(gaps[steps]), {"steps": (2, 8, 2, 8)})
# %% [markdown]
# *These judges.* How well can the human score be foretold from a judge's mean, and how well from its whole
# distribution? Look at `gap` against `gap_error`, its standard error over groups. On the recorded rows the shape tells
# something in three cells of eight (coherence twice, and DialSummEval's relevance: 4% to 8% of the error) and nothing in
# the others: K ≥ 3 *can* lose, and need not. The simulated judges report bell curves whose shape follows from their
# mean, and lose nothing by construction.

# %%
of_proposition(found, "information").round(4)

# %% [markdown]
# ## Errors in common do not average out
#
# If the errors of m judges share a correlation ρ, the variance of their mean is `σ² (ρ + (1 − ρ)/m)`: however many
# judges join, it never falls below `ρ σ²`, the thin lines. Look at how flat the curves become after three judges. The
# paper's six judges (ρ = 0.7775) come to 0.815 σ², its three (ρ = 0.7071) to 0.805 σ²: fewer judges with less error in
# common are no worse.

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
# *These judges.* The variance of the mean error of one, two, three judges (all subsets of that size), in units of one
# judge's, beside the formula. Look at `correlation`, and at how little the second and third judge take off. On the
# recorded SummEval rows three judges are worth 7% to 15% less variance than one, and the formula is right to half a
# percent, though neither variances nor correlations are equal.

# %%
of_proposition(found, "errors in common").round(4)

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
# *These judges.* Each judge's own temperature, fitted by likelihood, gives a T*. Look at how far the dashed line lies
# from the circle. The paper prints T = 0.7; by the formula the recorded judges are overconfident, and T* lies between
# 2.9 and 54.6, where the search ends. But a bias is not a temperature: where humans score near the top of the scale and
# judges below it, as on recorded `summeval_consistency`, flattening pulls the score still further down, and the best T
# lies below 1.

# %%
temperatures = of_proposition(found, "temperature")
errors = temperature_curves(cells, np.geomspace(0.3, 54, 40))
axes = plots.plot_cell_temperatures(errors, temperatures)
figure = out.figure(axes[0].figure, "judgemoe/temperature_on_judges")

# %% [markdown]
# The numbers, with two ways to be best (likelihood of the label, squared error of the score), and what Eq. 22 makes of
# the cost of staying at T = 1 (`excess_formula`) beside what that costs (`excess`). Look for the cells in which they
# differ in sign.

# %%
temperatures.round(3)

# %% [markdown]
# ## One judge's veto
#
# m good judges put 0.6 on the right bucket and 0.3 on a wrong one; a weak judge prefers the wrong one. The linear pool
# turns round only if `d' − d > m (p − p')`, the log pool if `log(d'/d) > m log(p/p')`. As the weak judge's mass on the
# right bucket goes to zero, the log pool always gives in; the linear pool never does once `m (p − p')` has reached 1.
# Look at where the log pool's marks change from open to filled.

# %%
veto = np.logspace(-6, -0.5, 23)
for good_judges in range(1, 9):
    turned = theory.flips(0.6, 0.3, veto, 0.5, good_judges)
    assert (turned["log"] == turned["log_condition"]).all()
    assert (turned["linear"] == turned["linear_condition"]).all()
    assert good_judges < 4 or not turned["linear"].any()
axes = drag(
    lambda good_judges: plots.plot_flips(theory.flips(0.6, 0.3, veto, 0.5, good_judges)),
    {"good_judges": (1, 8, 1, 3)},
)
# %% [markdown]
# *These judges.* Take each judge out in turn: how often is the pool's most probable bucket another one without it
# (`turned`), and did the judge then bring it nearer to the human score (`better`) or farther away (`worse`)? On the
# recorded rows a judge turns the log pool round no more often than the linear pool, about once in seven times, and for
# the better in 44% to 61% of them: these judges seldom contradict each other flatly, and the floor of 0.0001 keeps
# vetoes small. Some simulated pools are the proposition's case: on `sim_topicalchat_1_10` it is 35% in the log pool and
# 21% in the linear one.

# %%
of_proposition(found, "veto").round(3)

# %% [markdown]
# ## Mean or mode
#
# For a calibrated judge the best answer depends on the loss: the mean of its distribution under squared error, its mode
# when only an exact match counts. Neither read-out is right in general. Look at the two marked points, and drag the
# temperature down: the surer the judge, the nearer they come to each other.

# %%
for temperature in (0.3, 1.0, 2.0):
    said = theory.tempered_judges(truth, np.array([temperature]))[0, 0]
    losses = theory.bayes_actions(said, support)
    assert abs(losses.loc[losses["squared_loss"].idxmin(), "action"] - said @ support) < 1e-9
    assert losses.loc[losses["exact_match_loss"].idxmin(), "action"] == support[said.argmax()]
axes = drag(
    lambda temperature: plots.plot_bayes_actions(
        theory.bayes_actions(theory.tempered_judges(truth, np.array([temperature]))[0, 0], support)
    ),
    {"temperature": (0.2, 2.0, 0.1, 1.0)},
)
# %% [markdown]
# *These judges.* Both read-outs of each judge under both losses; `as_supposed` is the share of judges with whom the mean
# is better at the one and the mode no worse at the other. Look at the last column. The mean has the lower squared error
# in every recorded cell. At matching the mode is not reliably better: that half of the proposition needs the
# calibration that these judges do not have.

# %%
of_proposition(found, "mean or mode").round(3)

# %% [markdown]
# ## What the propositions suppose
#
# Equal variances, equally shared errors, calibration, no bias, no vetoes: which of these do the judges break, and by how
# much? On the recorded SummEval rows its three judges break them all. Two breaks do no harm: variances up to 1.35 times
# another's, and correlations up to 0.06 apart, leave the variance formula right to half a percent. Three do: the judges
# score 0.4 to 1.9 points below the humans, their means are stretched (a slope of 0.44 instead of 1 at the worst), and 8%
# to 46% of their outputs leave less than a thousandth on the bucket nearest to the human score.

# %%
rows = [assumptions(cell).assign(benchmark_cell=name) for name, cell in cells.items()]
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

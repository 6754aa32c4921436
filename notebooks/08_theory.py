# %% [markdown]
# # The propositions, to hold and to drag
#
# *Rebuilds*: the propositions of the JudgeMoE paper as exact computations, and a table of the assumptions that real
# judges break.
# *Needs*: nothing for the `simulated` profile; the SummEval judgments for `recorded` (`judgekit data fetch summeval`).
# *Takes*: seconds.
#
# Each section states a proposition, computes it, and asserts the formula. In JupyterLab the figures have sliders;
# elsewhere the same figure stands still.

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
# ## Three things to try
#
# 1. In the veto section, raise the good judges' mass from 0.6 to 0.8. How many of them does it take to outvote a
#    veto of a millionth?
# 2. Give all three judges of the temperature section the same temperature of 2. What is T* then, and why is it below 1?
# 3. Run the last section on `summeval_consistency` (or `sim_wmt_1_5`). Which assumption breaks worst there?

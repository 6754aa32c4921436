# %% [markdown]
# # Conditional aggregation: does a weight per item beat fixed pools?
#
# *Rebuilds*: the main comparison of the JudgeMoE paper, its tests, ablations and compute note, on judges whose
# distributions can be had.
# *Needs*: nothing for the `simulated` profile; the recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: under two minutes on two cores.
#
# Judges that print one score hide their doubt. **JudgeMoE** keeps each judge's whole distribution over the scores, lets a
# small network (the [gate](glossary.md#gate)) weigh the judges anew for every item,
# [pools](glossary.md#log-pool) the weighted distributions, and reads off the
# [expected score](glossary.md#soft-score) last. The question is when this beats the best single judge, an unweighted
# pool, and a pool with fixed weights that knows [whose errors go together](glossary.md#covariance-aware-pool). Quality is
# [Spearman's correlation](glossary.md#spearman-correlation) with the human score.

# %% tags=["parameters"]
profile = "simulated"
seed = 0
seeds = 3
epochs = 30
draws = 1000
cells_per_role = 0
wmt_part = "core"
workers = 2

# %%
import pandas as pd

from judgekit.gate import GateSettings
from judgekit.report import outputs
from judgekit.report.cells import readable
from judgekit.report.live import drag
from judgekit.report.plots import aggregation as plots
from judgekit.report.plots.dials import plot_pool_temperature
from judgekit.report.tables import aggregation as tables
from judgekit.sources.cells import cell_names, load_cell
from judgekit.studies import aggregation_stats, gate_diagnostics, training_signal
from judgekit.studies.aggregation import Configuration
from judgekit.studies.aggregation_main import AggregationSettings, study_aggregation
from judgekit.studies.deployment import study_deployment
from judgekit.studies.pool_temperature import study_pool_temperature

# %%
pd.set_option("display.precision", 4)
pd.set_option("display.max_colwidth", None)
out = outputs.current()
roles = ("choose", "confirm", "extra")
names = [name for role in roles for name in cell_names(profile, role=role)[: cells_per_role or None]]
cells = [load_cell(profile, name, part=wmt_part if name.startswith("wmt22") else "all") for name in names]

# %% [markdown]
# ## Choose, freeze, confirm
#
# Every [cell](glossary.md#benchmark-cell) is split 60/20/20 by document into train, validation and test rows. Gates are
# trained on train rows; a grid of gate variants is compared on the **validation** rows of the `choose` cells; the best is
# frozen, and only then scored on all cells, `confirm` cells among them. The same rows choose the members of the
# [best pipeline](glossary.md#best-pipeline) near the end. Permuting the test labels changes none of these choices; a test
# of this project does just that.
#
# In the recorded profile the choose cells are SummEval and DialSummEval, and WMT22 enters with its core part (parameter
# `wmt_part`; `"all"` takes five times as long). `extra` cells let judges without probabilities join.

# %%
settings = AggregationSettings(
    base=Configuration(gate=GateSettings(epochs=epochs)), seeds=seeds, seed=seed, workers=workers
)
study = study_aggregation(cells, settings)
choose = [result.parts.name for result in study.results if result.parts.cell.role == "choose"]
out.table(study.choices, "judgemoe/choices").head(2)

# %% [markdown]
# ## The main table
#
# Look first at the column of means, then at the row `single best, by test`: it was picked with the test labels, no
# honest method may, and so it is a bound for single judges. Two rows the paper lacks stand near the end: a ridge
# regression on nothing but the expected scores, and gradient boosting on the same summaries that the gate sees. They
# cost a second; a gate that does not beat them does not earn its training.
#
# `low` and `high` in the file bound each value by a bootstrap over documents; `rows` and `groups` are those of the test
# part. WMT22 judges have no probabilities: their columns of judges say so.

# %%
scores = aggregation_stats.score_cells(study.results, seed=seed, draws=draws)
out.table(scores.main, "judgemoe/main")
tables.by_method(scores.main).T

# %%
out.table(tables.method_means(scores.main), "judgemoe/method_means")

# %% [markdown]
# ## Is the lead real?
#
# The paper tests the leads with Wilcoxon's signed-rank test over cells. Aspects of one data set share rows, so the test
# is repeated over data sets, where `n` is honest and small. Holm's columns allow for the number of baselines. Look at
# `confirm cells` apart from `choose cells`: the configuration was made for the latter.

# %%
comparisons = aggregation_stats.compare_methods(scores.gains, seed=seed)
out.table(comparisons, "judgemoe/comparisons")
shown = ["scope", "unit", "baseline", "n", "mean_gain", "low", "high", "positive", "p_one_sided"]
comparisons[shown]

# %% [markdown]
# Published, ours, difference. The judges and most of the data sets differ, so only the order of things can be expected
# to agree: above the uniform pool by much, above the best single judge by less, above the covariance-aware pool by
# little or nothing.

# %%
readable(out.table(tables.comparisons_beside(comparisons), "judgemoe/comparisons_published"))

# %% [markdown]
# ## Cell by cell
#
# Each mark is a cell, its line a 95% interval from a bootstrap over documents that draws the same documents for both
# methods. Filled marks are clear of zero: blue circles ahead, red diamonds behind. Look for cells that are behind in
# every panel: the gate has too few rows there, or too little to choose from.

# %%
out.table(scores.gains, "judgemoe/cell_gains")
axes = plots.plot_gains(scores.gains)
figure = out.figure(axes[0].figure, "judgemoe/cell_gains")

# %% [markdown]
# Published: ahead of the best single judge in 7 of 10 cells, clearly so in 5, behind in 3.

# %%
readable(out.table(tables.losing_cells(scores.gains), "judgemoe/cell_counts"))

# %% [markdown]
# ## Fewer judges, other families
#
# Three judges picked on validation rows (compact) against all, and against three of different families. Published: the
# compact pool is used throughout, and the family-diverse one is worse. Look at the rows of means, the second of which
# has the same cells in every column. Data sets with three judges have no smaller pool and are not listed.

# %%
out.table(tables.pool_sizes(scores.main), "judgemoe/pool_sizes")

# %% [markdown]
# ## Which features matter
#
# The same gate sees less and less: only each judge's most probable score, only its expected score, both, or the
# summaries (confidence, entropy, margin, variance, agreement). Look at the step from hard to soft, which the paper finds
# large, and at the last one, which it finds small. The figure shows why a mean says little here: the lines of the cells
# lie far apart and are nearly flat.

# %%
out.table(tables.feature_ablation(study.screen), "judgemoe/feature_ablation")

# %%
axis = plots.plot_ablation(tables.ablated_cells(study.screen), tables.printed_ablation())
figure = out.figure(axis, "judgemoe/feature_ablation")

# %% [markdown]
# ## Gate by pool
#
# DeepSets sees the judges as a set and MLP as a list; the log pool multiplies distributions and the linear pool adds
# them. Same features, temperature, epochs and seeds. Look at the validation columns, which made the choice, before the
# test columns. The paper's best is DeepSets with the log pool, at 0.3832.

# %%
out.table(tables.gate_by_pool(study.screen), "judgemoe/gate_by_pool")

# %% [markdown]
# ## Temperature
#
# T below 1 sharpens the pool. Spearman sees only the order of the expected scores, so much of what T does to a pooled
# distribution is invisible to it. Look at how flat the curves are around the published 0.7.

# %%
sweep = out.table(tables.temperature_sweep(study.screen), "judgemoe/temperature_sweep")
figure = out.figure(plots.plot_temperatures(sweep), "judgemoe/temperature_sweep")

# %%
sweep.round(4)

# %% [markdown]
# What Spearman does not see, to drag: the unweighted log pool of the first cell, on validation rows. On the left is the
# item on which its judges differ most, in the middle the order of all items, on the right the log loss: minus the log of
# the mass on the human score, low where the pool is sure of the right thing. Look at which of the three moves as T goes
# from 0.7 to 2, and whether 0.7 is where the log loss is lowest.

# %%
temperatures = [step / 10 for step in range(1, 61)]
heated = study_pool_temperature(study.results[0].parts, temperatures)
panels = drag(
    lambda pool_temperature: plot_pool_temperature(
        heated.measures, heated.example, label=heated.label, pool_temperature=pool_temperature
    ),
    {"pool_temperature": (0.1, 6.0, 0.1, 0.7)},
)

# %% [markdown]
# ## Does the gate trust the better judges?
#
# Each panel is a cell, each dot a judge; the number is the rank correlation between mean weight and the judge's own
# Spearman (published: 0.71 at 1-5 and 1.00 at 1-10, in one data set). Look for negative ones. A gate may be right to
# give a good judge little weight, if another says the same.

# %%
weights = out.table(gate_diagnostics.weigh_quality(study.results), "judgemoe/gate_weights")
panels = plots.plot_weights(weights)
figure = out.figure(panels[0].figure, "judgemoe/gate_weights")

# %%
out.table(tables.weight_quality_means(weights), "judgemoe/gate_weight_means")

# %% [markdown]
# ## Errors in common
#
# The correlation of the judges' errors bounds what any pool can gain. Published: 0.7775 for six judges, 0.7071 for the
# compact three. Look at whether the compact pool's errors are less alike in ours, on the cells that have one.

# %%
residuals = out.table(gate_diagnostics.correlate_residuals(study.results), "judgemoe/residual_correlation")
out.table(tables.residual_means(residuals), "judgemoe/residual_correlation_means")

# %% [markdown]
# ## Is the final number calibrated?
#
# The expected calibration error of the number that comes out (gap between prediction and human score, as a share of the
# range) says nothing about the judges' own probabilities: compare the columns with the last one. The paper quotes no
# figure in our source, and makes this very point.

# %%
out.table(gate_diagnostics.measure_calibration(study.results), "judgemoe/calibration")

# %% [markdown]
# ## How many cells would it take?
#
# If the gains were normal with the mean and spread seen here, how often would the one-sided test at 5% reject? Published:
# ten cells suffice for the lead over uniform pooling and not for the two smaller ones. Look for the baselines with a
# power below 0.8, and for those where the mean gain is not even positive.

# %%
out.table(aggregation_stats.study_power(scores.gains, seed=seed), "judgemoe/power")

# %% [markdown]
# ## How much labelled data?
#
# The gate starts at uniform weights and moves as far as training rows let it. Look at where its line crosses the dotted
# one (the best single judge), and at how soon ridge, with one number a judge, is there. Every share keeps all validation
# rows, which pick the gate's epoch: a nearly flat line says that a few weights, checked on validation, are all it learns.

# %%
efficiency = training_signal.study_data_efficiency(study, choose)
out.table(efficiency, "judgemoe/data_efficiency")
figure = out.figure(plots.plot_data_efficiency(efficiency), "judgemoe/data_efficiency")

# %% [markdown]
# ## Preferences as well as scores
#
# Two items of one document, of which people scored one higher, make a preference. Here they join the training as a
# Bradley-Terry loss beside the scores. Published: better in 4 of 4 (two pairwise sets at two ranges). Ours are pairs
# made of the same direct scores, so they carry no new information, only another loss. Look at the signs.

# %%
pairs = training_signal.study_pairs(study, choose)
out.table(pairs, "judgemoe/pairwise")

# %% [markdown]
# ## What to deploy
#
# Four families: the best single judge, a fixed subset, the gate on the full pool, the gate on the subset. A rule that
# reads validation rows only picks one for each cell; it is learned on the other cells, or taken from the paper, or it
# simply takes the family that is best on validation. `regret_` is what each loses to the family that turned out best.
# Notebook 03 asks the same of gates that keep the published temperature and of a *sparse* pool of two, so its numbers
# differ.
# Look at whether any rule is below `always_full`.

# %%
deployed = out.table(study_deployment(study.results, seed=seed), "judgemoe/deployment")
regrets = [column for column in deployed if column.startswith("regret_")]
deployed.groupby("role", sort=False)[regrets].mean()

# %% [markdown]
# ## The best pipeline
#
# Last, our own. Components: three calibrations of the judges (none, temperature, vector scaling) times five ways to
# combine them (log, linear and covariance-aware log pool; ridge on scores and on summaries), boosting, and two gates,
# which pick their epoch on a part of the train rows, so that validation rows are new to every component.
# Validation rows of the choose cells add the component that helps most, until none does; the members' standardised
# scores are averaged with equal weights. Members that need no validation rows are refitted on train and validation rows
# together before the test rows are scored.
#
# Look at the first member: it is the best single component. And at how little the last ones add.

# %%
out.table(study.recipe.steps, "judgemoe/pipeline_members")

# %%
out.table(study.recipe.alone, "judgemoe/pipeline_components").head(8)

# %%
pipeline = aggregation_stats.compare_pipeline(scores.gains, seed=seed)
out.table(pipeline, "judgemoe/pipeline_comparisons")
pipeline[pipeline["unit"] == "cells"][shown]

# %% [markdown]
# ## What it costs to run
#
# Operations are counted as `2 × active parameters × tokens`. The paper's three figures follow from nominal sizes and
# 474K tokens: 26.5, 50.2 and 35.1 PFLOPs. Below them, pools of the recorded cells whose sizes are known, on the same
# count of tokens. Look at how a single mixture-of-experts model compares with three dense judges. `active_parameters` is
# in billions, the last three columns are PFLOPs.

# %%
pools = {cell.name: cell.judgments.judges["active_parameters"] for cell in cells}
digits = dict.fromkeys(["active_parameters", "printed", "rebuilt", "difference"], 1)
readable(out.table(tables.compute_accounting(pools), "judgemoe/compute"), digits)

# %% [markdown]
# ## Three exercises
#
# **1. Is 0.7 a good temperature?** Pick T for the unweighted log pool of every cell, once by log loss and once by
# Spearman, both on validation rows. Guess: below 1 or above? And how much does Spearman have to say about it?
#
# <details><summary>Solution</summary>
#
# ```python
# rows = []
# for result in study.results:
#     found = study_pool_temperature(result.parts, temperatures).measures
#     best = {"by log loss": found["log_loss"].idxmin(), "by Spearman": found["spearman"].idxmax()}
#     moved = found["spearman"].max() - found["spearman"].min()
#     rows.append({"cell": result.parts.name, **best, "Spearman moves by": moved})
# pd.DataFrame(rows).round(3)
# ```
#
# On recorded judges the log loss never picks a T below 1: it goes from 1 to 6, the end of the range. They are surer than
# they are right, and since they tend to be wrong together, the pool is no humbler than they are. A T of 0.7 makes it
# surer still. Of the simulated cells four come out at 0.7, the others between 0.8 and 2.0: how sure each judge is was a
# knob there. Spearman picks anything from 0.1 to 6, and over that whole range it moves by at most 0.07 everywhere but on
# WMT. A measure of order cannot choose a temperature; whoever needs the probabilities, for a threshold or a price, should
# not take one that was chosen by it.
#
# </details>
#
# **2. How many experiments?** The exact test over cells and the one over data sets give very different p values for the
# same lead. What is the smallest one-sided p that the test over data sets could have given, had every data set agreed?
#
# <details><summary>Solution</summary>
#
# ```python
# tests = comparisons.groupby(["scope", "unit"], sort=False)["n"].first().to_frame()
# tests.assign(smallest_p=0.5 ** tests["n"])
# ```
#
# Under the hypothesis of no difference each sign is a coin, so n agreeing signs have p = 2^-n. Recorded: five data sets,
# 0.031; the lead over the single judge (4 of 5, p = 0.16) *could not* have passed 1%, whatever JudgeMoE had done, and no
# lead could pass 5% after Holm's factor for eight baselines. The p of 0.011 over 16 cells counts four aspects of the same
# summaries, scored by the same judges, as four experiments. Seven data sets would be the least for 1%. Simulated: eight,
# 0.004. So read a large p here as "too few data sets" before you read it as "no difference".
#
# </details>
#
# **3. Fewer calls.** JudgeMoE calls every judge of the pool on every item, and then weighs them. The fixed subset calls
# those that validation rows chose, and weighs them alike. Compare the two in the table of means. How many judges does
# the subset call?
#
# <details><summary>Solution</summary>
#
# ```python
# results = [result for result in study.results if result.parts.cell.role != "extra"]
# sizes = pd.DataFrame(
#     {
#         "cell": [result.parts.name for result in results],
#         "subset": [len(result.fixed.subset.best) for result in results],
#         "all": [len(result.parts.cell.judgments.names) for result in results],
#     }
# )
# sizes.mean(numeric_only=True)
# ```
#
# Recorded: 2.0 of 4.8 judges, at a mean Spearman of 0.544 against JudgeMoE's 0.541; the interval of the difference
# spans zero on both sides. Simulated: 3.3 of 6, 0.358 against 0.366. Most of what the gate gains over the unweighted pool
# is had by leaving the bad judges out, once and for all items. A weight per item would have to add to that, and each of
# its items costs the calls of the whole pool.
#
# </details>

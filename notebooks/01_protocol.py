# %% [markdown]
# # Protocol: the same judge, asked and read in other ways
#
# *Rebuilds*: the protocol study of the JudgeMoE paper: prompt, score range and read-out, picked on validation rows.
# *Needs*: nothing for the `simulated` profile; the recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: half a minute simulated, two minutes recorded.
#
# A **protocol** is everything between an item and a judge's number: the prompt, the scale the judge is asked to score
# on, whether it sees a reference answer, and how its answer is read. Three read-outs of the same answer: the score it
# **wrote**; its most probable score (**hard**); the expected score under its probabilities (**soft**).
#
# Quality is Spearman's correlation with the human score, so only order counts; for pairwise verdicts it is accuracy.

# %% tags=["parameters"]
profile = "simulated"
seed = 0
draws = 500

# %%
from judgekit.report import outputs
from judgekit.report.plots.protocol import plot_contrasts, plot_protocols
from judgekit.report.tables import protocol as tables
from judgekit.sources.cells import cell_names, load_cell
from judgekit.sources.sweeps import load_repairs, load_sweeps
from judgekit.studies.protocol import contrast_protocols, study_protocols, study_repairs
from judgekit.studies.screening import screen_pools, study_information

out = outputs.current()
cells = [load_cell(profile, name) for name in cell_names(profile)]
sweeps = load_sweeps(profile)

# %% [markdown]
# ## What is compared
#
# A benchmark cell is one data set (and aspect) at one score range. The role column says what it may be used for: the
# learned pool of the next notebook is configured on `choose` cells, frozen, and scored on `confirm` cells; `extra`
# cells let judges without probabilities join. Look at the two columns of judges: recorded cells at 1-10 have judges
# without probabilities only. And look at `off_support`: answers such as 4.5 stars, which are no bucket, count as missing.

# %%
out.table(tables.cells_overview(cells), "judgemoe/protocol_cells")

# %% [markdown]
# The paper prints few numbers about its protocol study. Here they stand: published, ours, difference. The judges
# differ, and so do most data sets, so only the 151 rows of ROSCOE can agree by more than design.

# %%
out.table(tables.facts(cells, sweeps), "judgemoe/protocol_facts")

# %% [markdown]
# ## How much a protocol matters
#
# Every judge is split 60/20/20 by document into train, validation and test rows. Each mark below is one protocol of one
# judge on **validation** rows; the stroke is the reference protocol, the first that was recorded. Look at the length of
# the rows: it is what prompt, range and read-out alone do to a judge. Then compare it with the distance between judges.

# %%
study = study_protocols(sweeps, seed=seed, draws=draws)
out.table(study.options, "judgemoe/protocol_options")
axes = out.figure(plot_protocols(study.options), "judgemoe/protocol_range")

# %% [markdown]
# ## Validation picks, test once
#
# For each judge the best protocol on validation rows is picked, and only then the test rows are opened: once for the
# pick and once for the reference that it must beat. Permuting the test labels changes no pick; a test of this project
# does just that. `low` and `high` bound the difference by a paired bootstrap over documents. Look for picks that lose:
# where the test part is small, what won on validation need not win again.

# %%
out.table(study.picks, "judgemoe/protocol_picks")

# %% [markdown]
# Per data set: `protocol_range` is the best minus the worst protocol on validation rows, `gain` the pick minus the
# reference on test rows, `better` and `worse` count the intervals that exclude zero. The paper's statement is that
# protocol choices move the measurement: it holds where the range is above zero.

# %%
out.table(tables.picks_summary(study.picks), "judgemoe/protocol_summary")

# %% [markdown]
# ## Soft against hard
#
# Nothing is chosen in a contrast, so all rows serve. Each dot is one judge under one prompt; a filled one has an
# interval clear of zero. Look for blue to the right: there the expected score orders the items better than the single
# score. Look also for the exceptions: labels with few levels and judges that are sure of everything leave nothing for
# the rest of the distribution to say. On recorded judges two dots stand far to the right: scores that gpt-4o-mini wrote
# on two ROSCOE sets say little, though its probabilities do. They look like a parse gone wrong upstream.

# %%
contrasts = out.table(contrast_protocols(sweeps, seed=seed, draws=draws), "judgemoe/protocol_contrasts")
axes = plot_contrasts(contrasts, ["soft - hard", "soft - written"])
figure = out.figure(axes[0].figure, "judgemoe/protocol_read_outs")

# %% [markdown]
# ## Another range
#
# The same judge was asked for 1-5 and for a finer range. Look at the first panel for a judge that gains by the finer
# scale, and for one that loses. Where a judge wrote 0-100, the next panel shows what is lost by keeping ten buckets of
# it, which a pool of distributions needs; and the last one what a reference translation in the prompt adds.

# %%
ranges = ["1-10 - 1-5", "ten buckets - 0-100", "with reference - without"]
axes = plot_contrasts(contrasts, ranges, rows="judge")
figure = out.figure(axes[0].figure, "judgemoe/protocol_score_ranges")

# %% [markdown]
# All contrasts in one table: mean difference, and how many intervals lie above or below zero. Published: others report
# that soft beats hard (the paper cites them, and prints no number). Ours: the first rows. Difference: none to compute.

# %%
out.table(tables.contrasts_summary(contrasts), "judgemoe/protocol_contrast_means")

# %% [markdown]
# ## Is there a distribution to pool?
#
# Pooling distributions needs judges that have one. `sure` is the share of rows on which the largest probability is
# above 0.99; `summary_gain` is what confidence and entropy add to the expected score on validation rows. Look for
# judges that are sure of half their rows, and for gains of both signs: the paper takes these summaries as informative.

# %%
out.table(study_information(cells, seed=seed), "judgemoe/protocol_information")

# %% [markdown]
# ## Screening the pools
#
# The compact pool is the best three judges on validation rows, one prompt a model; the family-diverse pool is the best
# of each family. Both are written down in nbconfig and used unchanged from here on. Look at the last four columns: on
# recorded judges rule and declaration agree, split 0. In the simulator the pools are declared as the paper names them.

# %%
out.table(screen_pools(cells, seed=seed), "judgemoe/protocol_screening")

# %% [markdown]
# ## A lesson: labels out of step
#
# Two of the repositories that we read are wrong in places, and nothing in their files says so. In the tails of two
# ROSCOE sets the prompts and the labels run out of step; one public copy of DialSummEval has the second rater's
# coherence in the third rater's column. Look at the first column of numbers: all judges fail together on exactly
# these rows. That is the sign to look for in data of your own: judges of different makers seldom fail alike.
# (The simulated profile moves the labels of a tail by one row, to show the same sign.)

# %%
out.table(study_repairs(load_repairs(profile)), "judgemoe/protocol_repairs")

# %% [markdown]
# ## Three things to try
#
# 1. Change `seed` to 1. Which picks change? Those were never much better than the runner-up.
# 2. In `nbconfig/settings/protocols.yaml`, delete the prompt that was picked most often. What does the next best cost?
# 3. Read a judge's score with `smoothing` at 0.3 in `load_cell`. Why does its soft score keep its order?

# %% [markdown]
# # Protocol: the same judge, asked and read in other ways
#
# *Rebuilds*: the protocol study of the JudgeMoE paper: prompt, score range and read-out, picked on validation rows.
# *Needs*: nothing for the `simulated` profile; the recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: half a minute simulated, two minutes recorded.
#
# A [protocol](glossary.md#protocol) is everything between an item and a judge's number: the prompt, the scale the judge
# is asked to score on, whether it sees a reference answer, and how its answer is read. Three
# [read-outs](glossary.md#read-out) of the same answer: the score it **wrote**; its most probable score
# ([hard](glossary.md#hard-score)); the expected score under its probabilities ([soft](glossary.md#soft-score)).
#
# Quality is [Spearman's correlation](glossary.md#spearman-correlation) with the human score, so only order counts; for
# pairwise verdicts it is accuracy.

# %% tags=["parameters"]
profile = "simulated"
seed = 0
draws = 500

# %%
from judgekit.report import outputs
from judgekit.report.cells import readable
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
# A [benchmark cell](glossary.md#benchmark-cell) is one data set (and aspect) at one score range. The role column says
# what it may be used for: the learned pool of the next notebook is configured on `choose` cells, frozen, and scored on
# `confirm` cells; `extra` cells let judges without probabilities join. Look at the two columns of judges: recorded cells
# at 1-10 have judges without probabilities only. And look at `off_support`: recorded answers such as 4.5 stars, which
# are no [bucket](glossary.md#bucket), count as missing.

# %%
readable(out.table(tables.cells_overview(cells), "judgemoe/protocol_cells"))

# %% [markdown]
# The paper prints few numbers about its protocol study. Here they stand: published, ours, difference. The recorded
# judges differ, and so do most data sets, so only the 151 rows of ROSCOE can agree by more than design; the simulated
# cells were given the printed sizes.

# %%
readable(out.table(tables.facts(cells, sweeps), "judgemoe/protocol_facts"))

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
picks = out.table(study.picks, "judgemoe/protocol_picks")
shown = [
    "benchmark_cell",
    "judge",
    "prompt",
    "score_range",
    "read_out",
    "validation",
    "test",
    "reference_test",
]
readable(picks[[*shown, "difference", "low", "high"]])

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
# that soft beats hard (the paper cites them, and prints no number). Ours: `soft - hard` and `soft - written`.
# Difference: none to compute.

# %%
readable(out.table(tables.contrasts_summary(contrasts), "judgemoe/protocol_contrast_means"))

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
# coherence in the third rater's column. Look at the first column of numbers: on these rows all judges do worse, and do
# so together. That is the sign to look for in data of your own: judges of different makers seldom fail alike.
# (The simulated profile moves the labels of a tail by one row, to show the same sign.)

# %%
out.table(study_repairs(load_repairs(profile)), "judgemoe/protocol_repairs")

# %% [markdown]
# ## Three exercises
#
# **1. Another split.** With seed 1 other documents are validation rows. For how many judges will another protocol be
# picked? And which judges keep theirs?
#
# <details><summary>Solution</summary>
#
# ```python
# judge = ["benchmark_cell", "judge"]
# picked = ["prompt", "reference", "score_range", "read_out"]
# again = study_protocols(sweeps, seed=1, draws=50).picks
# both = study.picks.merge(again, on=judge, suffixes=("", " 1"))
# kept = (both[picked].to_numpy() == both[[f"{name} 1" for name in picked]].to_numpy()).all(axis=1)
# best = study.options.groupby(judge)["validation"].agg(lambda values: values.nlargest(2).tolist())
# both = both.assign(kept=kept).join(best.rename("best"), on=judge)
# both["lead"] = [values[0] - values[-1] for values in both["best"]]
# both.groupby("kept")["lead"].agg(["size", "mean"])
# ```
#
# Recorded: 19 of 61 picks change. Those that stay led their runner-up by 0.058 on average, those that change by 0.018.
# So a narrow lead on validation rows is a draw, and the plain reading of "the best prompt" is "one of the best".
# Simulated: 21 of 48 change, and the lead says less, since many leads are exactly zero: a simulated judge orders the
# items alike at 1-5 and at 1-10 when it is read softly.
#
# </details>
#
# **2. What costs nothing.** Another prompt or range means other calls. Another read-out means none: the probabilities
# are there. Of what choosing freely gains on validation rows, how much is had by choosing the read-out alone?
#
# <details><summary>Solution</summary>
#
# ```python
# import pandas as pd
#
# rows = []
# for _, options in study.options.groupby(["benchmark_cell", "judge"], sort=False):
#     first = options.iloc[0]
#     asked = ["prompt", "reference", "score_range"]
#     alike = (options[asked] == first[asked]).all(axis=1)
#     gains = options["validation"] - first["validation"]
#     if alike.sum() > 1:
#         rows.append({"dataset": first["dataset"], "read-out": gains[alike].max(), "any": gains.max()})
# gains = pd.DataFrame(rows)
# print(gains[["read-out", "any"]].mean())
# gains.groupby("dataset").mean()
# ```
#
# Most of it: 0.071 of 0.094 on the recorded judges with several read-outs, 0.054 of 0.064 on the simulated ones. But read
# the data sets one by one. On most of them there was no other prompt to choose, so the two are one number; on recorded
# ROSCOE there was, and there the read-out alone has 0.071 of 0.157. Both are too high, since the best of several
# options on few rows is partly luck, and the best of more options more so: the picks above, scored on test rows, say
# what is left of it.
#
# </details>
#
# **3. Judges without probabilities.** A judge that only wrote a score enters a pool as a one-hot row with a little mass
# (`smoothing`) spread over all buckets. Raise it from 0.05 to 0.3. What changes: the judge's own Spearman, that of the
# linear pool, that of the log pool?
#
# <details><summary>Solution</summary>
#
# ```python
# from judgekit.metrics import spearman
# from judgekit.pooling import pool_linear, pool_log
# from judgekit.scores import hard_score, smooth_one_hot
#
# cell = next(each for each in cells if each.name in ("summeval_consistency", "sim_summeval_1_5"))
# support, target = cell.judgments.support, cell.judgments.target
# written = hard_score(cell.probabilities, support)
# for smoothing in (0.05, 0.3, 0.9):
#     rows = smooth_one_hot(written, support, smoothing=smoothing).probs.astype(float)
#     pooled = pool_linear(rows, support).score, pool_log(rows, support).score
#     scores = ((rows @ support)[:, 0], *pooled)
#     print(smoothing, [round(spearman(score, target), 4) for score in scores])
# ```
#
# Only the log pool. A smoothed row has the mean `(1 - s) * score + s * middle`: the same order for any s, and the linear
# pool averages such means. The log pool multiplies, and what s sets there is how much one judge's vote outweighs a
# split: its ratio `(1 - s + s/K) / (s/K)` acts like an inverse temperature. With a small s the score with most votes
# takes all, with a large one the pool nears the mean. Simulated (`sim_summeval_1_5`): 0.380 at 0.05, 0.356 at 0.3, 0.389
# at 0.9; recorded (`summeval_consistency`): 0.490, 0.472, 0.497. So smoothing is a setting of the pool and not a
# technicality, and where judges have real probabilities nobody needs to choose it.
#
# </details>

# %% [markdown]
# # Experts: when a scalar metric joins a pool of judges
#
# *Rebuilds*: the JudgeMoE paper's study of extra experts (COMET, BERTScore, a reward model), of pools that grow by
# prompts, and of how little training data an expert needs.
# *Needs*: nothing for the `simulated` profile; six recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: about a minute.
#
# BERTScore gives a number, not a distribution, and a [log pool](glossary.md#log-pool) wants distributions. So the number
# is **binned** at quantiles of the training rows, and each bin gets the **histogram of human scores** of its training
# rows. From then on the metric, a [scalar expert](glossary.md#scalar-expert), is one more [judge](glossary.md#judge).
# BERTScore or METEOR costs no call to a large model, which makes it tempting. MetricX-XXL and reward models are large
# models themselves. The question is whether an expert helps, and whether one can know *before* the test.

# %% tags=["parameters"]
profile = "simulated"
seed = 0
splits = 5
draws = 500
repeats = 10
gate_seeds = 3

# %%
import pandas as pd

from judgekit.report import outputs
from judgekit.report.plots import experts as plots
from judgekit.report.tables import experts as tables
from judgekit.report.tables.expert_claims import published_beside
from judgekit.sources.expert_values import declared, load_expert_cells, load_prompt_pools
from judgekit.studies.expert_data import study_expert_data
from judgekit.studies.experts import ExpertSettings, study_experts, study_verdicts
from judgekit.studies.mixed_pools import LearnedSettings, admitted, study_mixed_pools
from judgekit.studies.prompt_expansion import study_prompts

pd.set_option("display.precision", 4, "display.max_colwidth", None, "display.max_rows", 100)
out = outputs.current()
settings, gates = ExpertSettings(draws=draws), LearnedSettings(seeds=gate_seeds)

# %% [markdown]
# ## Who may join which pool
#
# Each benchmark cell has judges, and scalar experts that were measured on the same items. Metrics that compare with a
# reference translation or summary say nothing about the reference itself: DialSummEval's system A *is* the human
# reference, so it leaves wherever such a metric takes part, for the pool with the expert and for the pool without. Look
# at the last column for what that costs.
#
# The names, on the recorded rows:
# * WMT22, translations: COMET-22, MetricX-XXL, BLEURT-20 and BERTScore compare with a reference. Three of its fourteen
#   systems (`bleurt_bestmbr`, `comet_bestmbr`, `bleu_bestmbr`) choose the translation that a metric likes best; the first
#   two were so tuned on relatives of two of our experts.
# * DialSummEval, summaries: BARTScore is the likelihood that a language model gives to one text after another:
#   `bartscore_s_h` of the summary after its source, `bartscore_r_h` of the summary after the reference, `bartscore_h_r`
#   of the reference after the summary. `blanc_help` says how much the summary helps a model to fill gaps in the source.
#   METEOR counts matched words.
# * JudgeBench, pairs of answers: five reward models, as the difference of their two rewards.

# %%
cells = load_expert_cells(profile)
pd.DataFrame(
    {
        "benchmark_cell": each.cell.name,
        "judges": len(each.cell.judgments.names),
        "experts": ", ".join(name.split("/")[-1] for name in each.scalars.names),
        "items": len(each.scalars.items),
        "reference_items": int(each.is_reference.sum()),
    }
    for each in cells
)

# %% [markdown]
# ## One expert at a time
#
# For every expert, in the order in which one would look. [`residual_correlation`](glossary.md#residual-correlation): does
# it repeat the judges' errors (`pool_correlation` is what the judges share with each other)? `expert_alone`: is it any
# good? `vetting_gain`: over five folds of **training** groups, with bins learnt on the other four, does the pool's
# [Spearman](glossary.md#spearman-correlation) rise? The rule admits an expert whose gain is positive in mean and in most
# folds, and only then are validation and test rows opened.
#
# Look for experts that are admitted though weak by themselves, or refused though strong.

# %%
experts = out.table(study_experts(cells, seed=seed, settings=settings), "judgemoe/experts")
named = experts.set_index(["benchmark_cell", "expert"])
before = ["residual_correlation", "pool_correlation", "expert_alone", "vetting_gain", "admitted"]
named[before].round(3)

# %% [markdown]
# Now what came of it. `pool` is the judges' uniform log pool on test rows and `mixed` the one with the expert. Look at
# whether `test_gain` has the sign that vetting foretold; `right` says so. Then look at `covariance_test_gain`: a gain
# under equal weights is not a gain under covariance-aware ones, nor the reverse.

# %%
after = ["pool", "mixed", "validation_gain", "test_gain", "covariance_test_gain", "right"]
named[after].round(3)

# %% [markdown]
# The same gains with intervals from resampled test groups. Filled marks were admitted. A blue triangle to the right has
# its whole interval above 0, a vermilion one to the left below 0, and a grey circle's interval holds 0. Look for open
# marks left of the line: experts that vetting kept out, and that would have hurt. On the recorded rows look also at how
# the same six metrics behave on four aspects: blanc_help lifts coherence, consistency and relevance, each time with its
# whole interval above 0, and fluency not (-0.013, and 0 is inside). An expert is vetted for a task and not once for all.

# %%
axes = out.figure(plots.plot_expert_gains(experts), "judgemoe/expert_gains")

# %% [markdown]
# ## How often is the verdict right?
#
# Every expert again, on several splits. A share of right verdicts says little by itself, so look at `right` beside
# `right_if_all` and `right_if_none`: what one would be right in by admitting every expert, or none. Where the true gain is
# next to nothing its sign is a coin; so look at the two last columns too, the mean gain of what was admitted and of what
# was refused. The paper's statement is that experts which pass help more than those which fail.

# %%
verdicts = study_verdicts(cells, seeds=range(seed, seed + splits), settings=settings)
summary = out.table(tables.vetting_summary(verdicts), "judgemoe/expert_verdicts")
summary.round(3)

# %% [markdown]
# Recorded: vetting is right in 79% of all verdicts, and admitting everything in 68%. The whole advantage is on
# DialSummEval (78% against 67%). On WMT22 every expert helps, and both rules are always right. On JudgeBench vetting is
# worse than its simplest rival: it is right in 52%, admitting none in 80%, and what it admits loses more (-0.040) than what
# it refuses (-0.019). 210 training pairs are too few to tell what a reward model adds to o1-mini. So the paper's statement
# holds on DialSummEval, fails on JudgeBench and is not tested on WMT22, where none is refused. Simulated: 83% right, 55% by
# admitting all. Splits and aspects share rows: this is one experience with a rule, not many.
#
# In the figure a verdict is right where a filled mark lies above the horizontal line, or an open mark below it. Filled
# marks stand right of the vertical line. Open ones stand left of it, but for the few whose gain is positive in mean and
# not in most folds. Look at how far the wrong ones lie from the cross: mistakes are cheap where they are near it.

# %%
axes = out.figure(plots.plot_vetting(verdicts), "judgemoe/expert_vetting")

# %% [markdown]
# ## When an expert hurts: repair
#
# The repair is the one that the paper uses for a weak judge: of all subsets of judges and expert, keep the best. The paper
# chooses it on training rows. We choose on validation rows, since the expert's histograms were learnt on the training
# rows and flatter it there. Nobody knows the test gain in advance, so the repair is called where the gain on
# **validation** rows is below 0. Look at `repaired` against `pool`, and at `repair_keeps`: where it is False the repair
# has thrown the expert out again. It may drop judges as well, so a repaired pool can differ from the one we began with.

# %%
called = named[named["validation_gain"] < 0]
called[["validation_gain", "test_gain", "pool", "mixed", "repaired", "repair_keeps"]].round(3)

# %% [markdown]
# The same for other rules. The third row is hindsight: nobody could have followed it. Look at `hurt`, how many of the
# repaired experts really lowered the pool, and at `below_pool`, how many repaired pools are worse than the judges alone.
# Recorded: validation rows call for 7 repairs, 4 of them needed; all seven throw the expert out, and 2 end below `pool`.
# Repair is no cure: called in hindsight for the 12 that hurt, it ends below `pool` in 5. Simulated: none ends there.

# %%
tables.repairs(experts).round(3)

# %% [markdown]
# ## Homogeneous and mixed pools
#
# Judges only, experts only, and both, on the same test rows of a cell. `member` is the judge or expert that is best on
# validation rows, `single` its test value; `best_subset` is the uniform log pool of the members that are best together
# on validation rows; `learned` is the paper's gate where it was trained, a mean over three seeds.
#
# Look down the `uniform_log` column first: equal weights let every weak member in. On the recorded WMT22 rows COMET-22
# is better than all judges together, and loses by their company: 0.628 alone, 0.525 with them. Then look at
# `covariance_log` and `learned`: they may turn a member down. The first passes COMET-22 alone (0.638), the second does not
# quite (0.624). Vetting asks whether the expert helps the pool; whether the pool helps the expert is a second question.

# %%
mixed = study_mixed_pools(
    cells, admitted(experts), declared(profile, "learned"), seed=seed, settings=settings, gates=gates
)
ways = ["member", "single", "uniform_log", "covariance_log", "best_subset", "learned"]
out.table(mixed, "judgemoe/mixed_pools").set_index(["benchmark_cell", "pool"])[ways].round(3)

# %% [markdown]
# ## More prompts of the same models
#
# Another way to let a pool grow costs calls: ask the same models again with other prompts. The paper finds that the
# judges' errors become more alike and that the pool gets slightly worse.
#
# What grows, on the recorded rows:
# * SummEval `_mini`: three models with G-Eval's prompt; only gpt-4o-mini gets more, five chain-of-thought prompts, so it is
#   six members of eight. Those five were recorded as bare scores, so G-Eval is read as bare scores too: a distribution
#   beside bare scores errs otherwise for the read-out alone. Fluency is left out, its five are misread upstream.
# * SummEval `_gpt35`: three models that reason, then score; only gpt-3.5-turbo gets more, four prompts.
# * ROSCOE: three models with SocREval's prompt, and each with G-Eval's besides.
# * LLMBar: six models, each with all eight prompts that every model was given. Seven more were put to some models only,
#   and would give these more votes than the others.
#
# Look first at `same_model` against `other_models`: do two prompts of one model share more of their errors than two models?

# %%
prompts = study_prompts(load_prompt_pools(profile), seed=seed, draws=draws, gates=gates)
out.table(prompts, "judgemoe/prompt_expansion")
pools = prompts.set_index("benchmark_cell")
judges = ["models", "base_judges", "expanded_judges", "read_out"]
shared = ["base_correlation", "expanded_correlation", "same_model", "other_models"]
pools[[*judges, *shared]].round(3)

# %% [markdown]
# Recorded: two prompts of one model share more errors in 10 of 12 cells, and the mean correlation rises in 8. Now the
# quality. `weakest` and `strongest` are judges of the base pool by themselves; `change` is the uniform pool's, with its
# interval; the last columns rest on `test_rows` alone, which are only 19 on roscoe_cosmos. Look at whether more prompts
# lower the pool, and whether they do so where the correlation rises.

# %%
quality = ["metric", "weakest", "strongest", "base", "expanded", "change", "low", "high"]
pools[[*quality, "covariance_change", "learned_change", "test_rows"]].round(3)

# %% [markdown]
# Recorded: they do not. Where the correlation rises the pool goes up in five cells of eight, and beyond its interval in
# two. Where it falls (the three `_mini` cells and roscoe_esnli) the pool falls a little too, but 0 is in all four intervals.
# The learned pool falls in six cells of twelve. LLMBar shows what equal weights cost: GPT-4 is right in 84% of the pairs,
# the six models' equal vote in 56%. Three of the six are right in less than half, since most pairs were built so that the
# worse answer looks the better one. Simulated: correlation up and pool down in all three cells, as the paper has it.
#
# In the figure arrows go from the base pool's mean residual correlation to the expanded pool's: vermilion and to the
# right where it rose, blue and to the left where it fell. Filled marks have their interval on one side of 0.

# %%
axes = plots.plot_prompts(prompts)
figure = out.figure(axes[0].figure, "judgemoe/prompt_expansion")

# %% [markdown]
# ## How little data does an expert need?
#
# Bins, histograms and weights are now learnt on 5% to 100% of the training groups, in several orders. A line with marks is
# the pool with the expert, the broken line of the same colour the judges alone: the gain is the distance between them.
# The band holds the middle 80% of the orders. Look at the left end of each panel: is the pool with the expert above the
# dashed line, the best single judge, with 5% already? And look for the point from which on a curve is flat.

# %%
curves = study_expert_data(
    cells,
    declared(profile, "curves"),
    fractions=(0.05, 0.1, 0.25, 0.5, 0.75, 1.0),
    repeats=repeats,
    seed=seed,
    settings=settings,
)
data = out.table(tables.data_curves(curves), "judgemoe/expert_data")
axes = plots.plot_expert_data(data)
figure = out.figure(axes[0].figure, "judgemoe/expert_data")

# %% [markdown]
# The gain at all training groups under each weighting, and the smallest share that brings 95% of it (`_enough`; none where
# the gain is under 0.001). `above_single_at_least`: does the covariance-aware pool with the expert pass the best single
# judge at 5%, in the mean over orders? Look at which of the two weightings needs more rows.

# %%
tables.saturation(data).round(3)

# %% [markdown]
# It depends. Recorded, WMT22: the covariance-aware gain is there with 25% of the groups, the uniform one, which rests on the
# histograms alone, only with 75%. On dialsumm_coherence 5% bring even more than all do (0.121 and 0.068): with
# few rows the judges' own weights are poor (their pool has 0.363 against 0.403), so the expert has more to mend. On
# consistency there is little to gain, on fluency, relevance and JudgeBench nothing. Simulated it is the other way round:
# equal weights have enough with 25% and 75%, covariance-aware ones with 50% and 100%.

# %% [markdown]
# ## Published, ours, difference
#
# What the paper says about experts, beside what came out here. The judges differ, and so do the data sets except WMT22,
# so a *no* tells about these judges rather than about the paper's. `tests` says what `holds` is about: a row tests its own
# statement and no other. Look for each *no*. The recorded rows disagree with the paper most plainly on WMT22: its learned
# pool was dragged down by COMET (0.1620) where ours goes up with it, and both metrics that hurt there help here. Nor did
# more prompts lower the learned pool in the mean. Reward models bring nothing to o1-mini: none is admitted on the first
# split, and those admitted on others lower it in the mean.

# %%
frames = {
    "experts": experts,
    "mixed": mixed,
    "prompts": prompts,
    "summary": summary,
    "curves": data,
}
claims = published_beside(frames, declared(profile, "stands_for"), profile=profile)
out.table(claims, "judgemoe/expert_claims").drop(columns="why")

# %% [markdown]
# The reasons, row by row. Look at those of the settings that are means. Recorded, BERTScore's gain is coherence's: without
# that aspect the mean of jm-064 would be below 0.

# %%
claims.set_index(["claim", "quantity"])[["holds", "why"]]

# %% [markdown]
# ## Three exercises
#
# **1. Which column could have told?** Before an expert joins one may look at how much it errs like the judges, at how good
# it is alone, or at what it adds on the training folds. In which order would you trust these three columns to foretell
# `test_gain`?
#
# <details><summary>Solution</summary>
#
# ```python
# told = ["residual_correlation", "expert_alone", "vetting_gain", "validation_gain"]
# print(experts[told].corrwith(experts["test_gain"], method="spearman").round(2))
# for cell, rows in experts.groupby("benchmark_cell"):
#     sign = rows["residual_correlation"].corr(rows["test_gain"], method="spearman")
#     print(cell, rows[["residual_correlation", "pool", "test_gain"]].mean().round(3).to_dict(), round(sign, 2))
# ```
#
# Vetting, by far: 0.96 on the recorded experts and 0.95 on the simulated ones. `expert_alone` has 0.69 and 0.68, though it
# was even measured on the test rows. `residual_correlation` has -0.58 simulated, as one would think, and +0.47 recorded.
# That sum hides two things. Inside a cell the sign differs: -1.0 in both WMT22 cells, where the metric that errs least like
# the judges helps most; -0.89 and -0.6 for consistency and relevance, but +0.71 and +0.54 for fluency and coherence (four to
# six metrics each). Between cells it is positive: where the metrics err like the judges, on WMT22 and coherence (0.45 to
# 0.72), the pools have the lowest Spearman (0.30 to 0.44) and gain most; where they do not, on fluency (0.06), nothing is
# gained. JudgeBench breaks even that: 0.65, and no gain. What a judge adds is a property of the judge *and* the pool.
# Training folds foretell better than the validation part (0.79 recorded), which has a third of their rows.
#
# </details>
#
# **2. Who helps whom?** Vetting asks whether the expert helps the pool. How many of the admitted experts would do better
# without the pool, and what does the `repaired` column make of them?
#
# <details><summary>Solution</summary>
#
# ```python
# joined = experts[experts["admitted"].astype(bool)]
# better = joined[joined["expert_alone"] > joined["mixed"]]
# print(len(better), "of", len(joined))
# better[["benchmark_cell", "expert", "expert_alone", "mixed", "repaired"]].round(3)
# ```
#
# Recorded: 8 of 23, seven of them on WMT22, where COMET-22 alone has 0.628 and the pool that it helps from 0.436 to 0.525
# is still a burden to it. Simulated: 3 of 7, all on `sim_wmt_1_5`, whose pool is contaminated. Equal weights give an
# expert one voice among eight, however much better it is. The repair drops judges, and all eight repaired pools are better
# than `mixed`. But only four of them pass the expert alone: COMET-22 on wmt22_stars would still be better off by itself
# (0.628 against 0.609). The question "may it join?" should have been "who should be in?".
#
# </details>
#
# **3. Finer bins.** A metric is cut at ten quantiles. Forty would tell apart what ten lump together. Which data set
# loses most by them, and what would three bins do?
#
# <details><summary>Solution</summary>
#
# ```python
# for bins in (3, 10, 40):
#     found = study_experts(cells, seed=seed, settings=ExpertSettings(draws=20, bins=bins))
#     print(bins, round(found["test_gain"].mean(), 4))
#     print(found.groupby("dataset")[["expert_alone", "test_gain"]].mean().round(3))
# ```
#
# Recorded: the mean gain falls from 0.031 to 0.025, and most on JudgeBench, where 210 training pairs leave five to a bin:
# the experts' own Spearman goes from 0.255 to 0.196. On WMT22, with the most rows, it hardly moves (0.562 and 0.552).
# Three bins lose nothing in the mean gain (0.031), but the experts alone are coarser: 0.239 instead of 0.277 on
# DialSummEval, 0.535 instead of 0.562 on WMT22. Each bin's histogram is learnt from its rows only, so many bins trade
# a little resolution for much noise. Simulated: 0.029 becomes 0.027 with forty and 0.024 with three.
#
# </details>

# %% [markdown]
# # Role routing: whom to call, on which rows, and when to stop
#
# *Rebuilds*: Tables 1 to 8, 10 to 14, 17, 18 and 20 and Figures 1 and 2 of the role-allocation paper, what its gains
# are made of, and steadier plans.
# *Needs*: nothing for the `simulated` profile; the recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: under a minute.
#
# A [pool](glossary.md#pool) of judges costs money on every row. The role-allocation paper asks which judges earn it. On
# a small labelled [audit set](glossary.md#audit-set) it measures what each judge adds to the judges already called, its
# [conditional gain](glossary.md#conditional-gain), and turns the gains into a [call plan](glossary.md#call-plan): call
# these judges on every row, those only on this [slice](glossary.md#slice), and stop there. [Risk](glossary.md#risk) is
# a Brier score throughout: the squared distance between a calibrated probability and the label, so lower is better and
# 0.25 is a coin.

# %% tags=["parameters"]
profile = "simulated"
settings = []
splits = 10
gain_threshold = 0.005
seed = 0

# %%
from dataclasses import replace

import pandas as pd

from judgekit.plan import PlanSettings
from judgekit.report import outputs
from judgekit.report.beside import beside
from judgekit.report.cells import readable
from judgekit.report.counterparts import counterpart
from judgekit.report.live import drag
from judgekit.report.plots.dials import plot_threshold
from judgekit.report.plots.roles import plot_decomposition, plot_frontier, plot_regimes
from judgekit.report.tables import role_advice, role_plans, roles

# %%
from judgekit.sources.settings import load_role_pools
from judgekit.studies.pair_addition import study_pair_addition
from judgekit.studies.plan_variants import plan_variants_table, study_plan_variants
from judgekit.studies.role_advice import study_regimes, study_roles
from judgekit.studies.role_policies import pool_rng, study_pools, sweep_settings

pd.set_option("display.precision", 4)
pd.set_option("display.max_colwidth", None)
out = outputs.current()
pools = load_role_pools(profile, settings)
plan_settings = PlanSettings(gain_threshold=gain_threshold)

# %% [markdown]
# ## The settings (Tables 2 and 11)
#
# Look at the last two columns of the first table. A slice may route only when it is known before any judge has been
# asked: a data field (`metadata`), or the verdict of a judge that is called and paid for first. A slice that needs the
# label could be analysed, but no plan may use it.

# %%
out.table(role_plans.settings_overview(pools), "roles/table02_settings")

# %%
out.table(role_plans.pools_overview(pools), "roles/table11_pools")

# %% [markdown]
# ## Rows kept (Table 12)
#
# A row counts only if every judge of the pool answered and a trustworthy label exists. Look for the pool in which one
# judge costs a large share of the rows: what a pool is tested on depends on who is in it.

# %%
readable(out.table(role_plans.complete_cases(pools), "roles/table12_complete_case"))

# %% [markdown]
# ## The main comparison (Table 3)
#
# Each setting is split ten times by group into fit, validation and test rows; both orders of a pair, or all answers to
# one question, stay on one side. Tables are fitted on fit rows, choices are made on validation rows, and the test half
# is scored once.
#
# Three ways to spend: one judge; all judges, read through one joint pattern table; and the routed plan. Look for two
# things: is the routed plan's risk below both others, and at how many calls?

# %%
compared = ["single_best", "single_best_sliced", "flat_all", "global_panel", "global_panel_sliced"]
compared += ["role_routed", "role_strict", "role_strict_sliced", "matched_non_role"]
policies = [*compared, "full_stack", "slice_stack", "reliability_jury", "frugal_cascade"]
study = study_pools(pools, policies, plan_settings, splits=splits, seed=seed)
table03 = out.table(roles.policy_comparison(study.scores), "roles/table03_policy_comparison")
table03

# %% [markdown]
# Published beside rebuilt. *Same rows* means that the items are the paper's and the judges are not: the difference is
# the judges'. An *analogue* shares the task only, so only the order of policies can be compared.

# %%
beside("table03_policy_comparison", table03, profile=profile)

# %% [markdown]
# ## Where routing pays (Figure 1)
#
# Every risk is divided by that of the single best judge of the same setting. Look at how far left the filled circle
# lies, and whether the triangle, a logistic stack that calls every judge, lies further left still: there the cheaper
# plan gives something up.

# %%
axes = plot_regimes(roles.policy_means(study.scores))
axes = out.figure(axes, "roles/figure01_regimes")
# %% [markdown]
# ## How sure is that? (Table 13)
#
# The half-widths of the paper are t intervals over the ten splits. The splits share rows, so those intervals are too
# narrow; the corrected ones beside them (Nadeau and Bengio) allow for the overlap. Look at how many differences of
# Table 3 survive the wider interval.

# %%
table13 = out.table(roles.split_intervals(study.scores), "roles/table13_split_intervals")
readable(table13)

# %%
halves = [f"{policy}_risk_half_width" for policy in ("single_best", "flat_all", "role")]
beside("table13_split_intervals", table13, profile=profile, columns=halves)

# %% [markdown]
# ## What the gain of routing is made of
#
# A route does two things at once: it calls another judge on a slice, and it gives the slice a table of its own. The
# second costs no call. Here the two are told apart: first the global panel gets a table in every slice and nothing
# else, then the routed calls come on top.
#
# Look at which of the two bars is longer. Where the hatched one is, the gain can be had without calling anybody.

# %%
gains = out.table(roles.gain_decomposition(study.scores), "roles/gain_decomposition")
axes = out.figure(plot_decomposition(gains), "roles/gain_decomposition")
# %%
shown = ["recalibration_gain", "calls_gain", "routing_gain", "extra_calls"]
gains.set_index("setting")[shown].round(4)

# %% [markdown]
# ## Stronger bars (Tables 4 and 5)
#
# Averaging all judges is a weak opponent. A logistic stack over every verdict is a stronger one, and a stack that has
# coefficients of its own in every slice is stronger still; the paper has the first and not the second. Look at whether
# the role plan stays below either, and what share of the calls it spends.

# %%
table04 = out.table(roles.strong_baselines(study.scores), "roles/table04_strong_baselines")
readable(table04)

# %%
risks = ["full_call_risk", "matched_non_role_risk", "role_risk", "role_cost"]
beside("table04_strong_baselines", table04, profile=profile, columns=risks)

# %% [markdown]
# The jury weighs judges by their confusion matrices, as if their errors were independent; the cascade asks the best
# judge first and stops when the answer is confident. Dawid-Skene learns the matrices from the verdicts alone, without a
# label. Look at what it makes of slices on which most judges are wrong together: without labels, the wrong side wins
# the vote.

# %%
unsupervised = study_pools(pools, ["dawid_skene"], plan_settings, splits=splits, seed=seed)
scores = pd.concat([study.scores, unsupervised.scores])
table05 = out.table(roles.allocation_baselines(scores), "roles/table05_allocation_baselines")
readable(table05)

# %%
risks = ["reliability_jury_risk", "frugal_cascade_risk", "frugal_cascade_cost", "role_risk"]
beside("table05_allocation_baselines", table05, profile=profile, columns=risks)

# %% [markdown]
# ## Risk against cost (Figure 2)
#
# Each panel is a setting, each mark a policy, and the line joins those that no other policy beats on both risk and
# cost. Look for which family of marks sits on the line: slice tables and routed plans at the cheap end, stacks at the
# expensive one.

# %%
frontier = out.table(roles.frontier(study.scores), "roles/figure02_frontier")
panels = plot_frontier(frontier)
axes = out.figure(panels, "roles/figure02_frontier")
# %% [markdown]
# ## The threshold (Table 8)
#
# `gain_threshold` is the smallest gain worth a call. Look at the calls, which fall as it rises, and then at the risk,
# which need not rise: where it falls, the routes bought at the lower threshold were overfitted.

# %%
variants = [PlanSettings(gain_threshold=value) for value in (0.001, 0.005, 0.02)]
swept = sweep_settings(pools, ["role_routed"], variants, field="gain_threshold", splits=splits, seed=seed)
table08 = out.table(roles.threshold_sensitivity(swept.scores), "roles/table08_threshold_sensitivity")
beside("table08_threshold_sensitivity", table08, profile=profile, columns=["risk", "judges"])

# %% [markdown]
# The same to drag, for the first setting. On the left is the plan: in how many of the splits a judge is called on
# every row (`all`) and on each slice. On the right is what it costs and risks. Look at which calls go first as the
# threshold rises: those on every row, or those on a slice? And how far is the path of plans from the stack that knows
# the slice?

# %%
grid = [replace(plan_settings, gain_threshold=step / 400) for step in range(13)]
dial = sweep_settings(pools[:1], ["role_routed"], grid, field="gain_threshold", splits=splits, seed=seed)
called = role_plans.call_shares(dial.plans, pools[0], field="gain_threshold")
path = dial.scores.groupby("gain_threshold")[["risk", "calls"]].mean().reset_index()
rivals = ["single_best", "single_best_sliced", "flat_all", "full_stack", "slice_stack"]
others = roles.policy_means(study.scores.query("setting == @pools[0].name and policy in @rivals"))
panels = drag(
    lambda gain_threshold: plot_threshold(called, path, others, gain_threshold=gain_threshold),
    {"gain_threshold": (0.0, 0.03, 0.0025, gain_threshold)},
)
# %% [markdown]
# ## Prices (Table 18)
#
# Now an API call costs 5, a local call 1 and a verifier 0.05, and a gain counts net of `lambda` times the price. Look
# at how much cost the first small step of `lambda` saves, and at what risk.

# %%
priced = load_role_pools(profile, settings, cost_column="price")
variants = [PlanSettings(gain_threshold, cost_weight=value) for value in (0.0, 0.002, 0.005)]
swept = sweep_settings(priced, ["role_routed"], variants, field="cost_weight", splits=splits, seed=seed)
table18 = out.table(roles.cost_sensitivity(swept.scores), "roles/table18_cost_sensitivity")
beside("table18_cost_sensitivity", table18, profile=profile, columns=["risk", "cost", "calls"])

# %% [markdown]
# ## Pattern tables (Table 14)
#
# Every pattern of verdicts needs rows behind it. Look at the fallbacks: the share of rows whose pattern the table never
# saw, so that a shorter pattern answers. Few mean that the plan's tables are dense enough to trust.

# %%
table14 = out.table(roles.pattern_sparsity(study.scores), "roles/table14_pattern_sparsity")
sizes = ["calls", "global_cells", "val_fallback_percent", "test_fallback_percent"]
beside("table14_pattern_sparsity", table14, profile=profile, columns=sizes)

# %% [markdown]
# ## Which calls come back (Tables 7 and 17)
#
# A plan is made ten times on ten audit sets. Look at how few slice routes reach even five of ten, against calls made on
# all rows: a route seen in half of the splits is a hint to label more rows, not a discovery.

# %%
least = -(-splits // 2)
out.table(role_plans.routed_specialists(study.plans, least=least), "roles/table07_routed_specialists")

# %%
out.table(role_plans.call_frequencies(study.plans, least=least), "roles/table17_frequency")

# %% [markdown]
# That a slice is routed at all may recur though no judge does, since judges that err alike stand in for each other. Look
# for slices routed in most splits that Table 7 does not list. The paper counts such splits for one setting: 4 of ten
# where the safety proxy says safe, 2 where it says unsafe.

# %%
out.table(role_plans.routed_slices(study.plans, pools), "roles/routed_slices")

# %% [markdown]
# ## A proxy that routes (Table 10)
#
# In JailbreakBench the slice is another classifier's verdict (`gpt4_cf`; the simulated one is made up). The paper takes
# it as given; somebody has to pay for it. Look at the last row: the same plan with that verdict charged as one call a
# row wherever the plan routes.

# %%
proxy = counterpart("JBB-7", profile)
charged = [replace(p, signal_cost=1.0) for p in load_role_pools(profile, [proxy])]
paid = study_pools(charged, ["role_routed"], plan_settings, splits=splits, seed=seed).scores
free = study.scores[study.scores["setting"] == proxy]
table10 = out.table(roles.proxy_routing(free, paid), "roles/table10_jbb_proxy_routing")
readable(table10)

# %%
beside("table10_jbb_proxy_routing", table10, profile=profile, columns=["risk", "accuracy", "cost"])

# %% [markdown]
# ## Two at a time (Table 20)
#
# The search adds one judge at a time. Two judges could be worth a call together and not alone. Look at `pair_only_moves`:
# in how many splits of ten a pair reaches the threshold where no single judge does.

# %%
pairs = [study_pair_addition(p, plan_settings, splits=splits, rng=pool_rng(seed, p.name)) for p in pools]
table20 = out.table(roles.pair_additions(pd.concat(pairs)), "roles/table20_pair_addition")
beside("table20_pair_addition", table20, profile=profile)

# %% [markdown]
# ## Roles (Table 1)
#
# A role says what a judge adds to the panel the plan settled on: gain overall, gain on a slice, or neither. Each gain is
# averaged over repeated halvings of the audit rows. Look at the last column: the share of judges whose interval lies
# wholly on one side of the threshold. For the others, the name of the role is a best guess.

# %%
held = study_roles(pools, plan_settings, repeats=splits, seed=seed)
out.table(role_advice.roles_and_actions(held), "roles/table01_roles")

# %% [markdown]
# ## Evidence for each action (Table 6)
#
# The paper's Table 6 gives a reason for every action. Here each action is a pair of policies that differ in nothing
# else. Look at the second row against the third: how much of what routing brings is there before a judge is routed?

# %%
out.table(role_advice.evidence_per_action(study.scores), "roles/table06_actions")

# %% [markdown]
# ## Regimes
#
# What should one do with a pool: route, stop early, drop copies, or call everything? The advice is read from the audit
# rows alone: policies are fitted on one half of them and scored on the other. Its margins were settled while looking at
# such halves of these very settings, so read the map as a description and not as a test. Look at `test_risk` beside
# the last two columns: where the advice is far above the stack, the audit set was too small to see it.

# %%
regimes = study_regimes(pools, plan_settings, splits=min(splits, 3), seed=seed)
regime_map = out.table(role_advice.regime_map(regimes), "roles/regime_map")
told = ["setting", "regime", "count", "of", "full_drop", "agreement", "test_risk", "test_calls"]
readable(regime_map[[*told, "routed_test_risk", "stack_test_risk"]])

# %% [markdown]
# ## Steadier plans
#
# The paper's plan changes with half of the audit set: its Jaccard with the full plan is 0.08 to 0.25. Four remedies:
# shrink slice tables toward the global table, average gains over many halvings (*crossfit*), add to that a higher bar
# for routes and a preference for pool order among near ties (*steady*), or keep only calls that most resampled plans
# share (*stable*). Their settings were chosen on simulated pools. Three splits stand here, since resampling is slow;
# `few` takes more. Look for a row with a higher Jaccard and no higher
# risk; then at the interval of the difference, which hardly ever leaves zero.

# %%
few = min(splits, 3)
parts = [study_plan_variants(p, plan_settings, splits=few, seed=seed) for p in pools]
variants = out.table(plan_variants_table(pd.concat(parts)), "roles/plan_variants")
variants.groupby("policy", sort=False)[["risk", "part_risk", "calls", "jaccard"]].mean()

# %% [markdown]
# ## Three exercises
#
# **1. A higher bar.** Raise `gain_threshold` from 0.005 to 0.02 and plans call fewer judges. Guess: does the risk rise
# in every setting? Then count in `table08`, and drag the slider above. Which calls survive a bar of 0.03, those on
# every row or those on a slice, and why?
#
# <details><summary>Solution</summary>
#
# ```python
# risk = table08.pivot(index="setting", columns="gain_threshold", values="risk")
# (risk[0.02] - risk[0.005]).sort_values().round(4)
# ```
#
# Not in every one. On the recorded judges it rises in 11 of 15 settings, by 0.001 to 0.014, and falls in three
# (`judgebench_reward`, `llmbar_prompts`, `summeval_scalar`); on the simulated ones it rises in 6 of 8 and falls in one.
# Where it falls, the cheaper plan is the better one: a gain is measured on the few validation rows of one slice, the
# largest of many noisy gains is too large, and the lower bar buys it.
#
# Calls on every row go first, but for the first judge. A gain of 0.03 within a slice that holds a fifth of the rows is
# a gain of 0.006 over all rows: a call pays more easily where it is confined to the rows that need it. That is the case
# for routing; the case against it is that the same gain rests on a fifth of the labels.
#
# </details>
#
# **2. Two splits instead of ten.** Five readers look at two of the ten splits each. In how many settings will all five
# name the same winner between the routed plan and the full stack? And between the routed plan and the single best judge?
#
# <details><summary>Solution</summary>
#
# ```python
# risk = study.scores.pivot_table(index=["setting", "split"], columns="policy", values="risk")
# for rival in ("full_stack", "single_best"):
#     lead = (risk[rival] - risk["role_routed"]).unstack("split")
#     readers = lead.T.groupby(lambda split: split // 2).mean().T
#     agreed = (readers > 0).all(axis=1) | (readers < 0).all(axis=1)
#     print(rival, agreed.sum(), "of", len(agreed))
# ```
#
# Recorded: 13 of 15 against the stack, 10 of 15 against the single judge. Simulated: 5 of 8 and 4 of 8. They part over
# differences below about 0.01, and over some that are exactly zero because the plan *is* the single judge. Five readers
# who agree are still fewer than five experiments: their splits are drawn from the same rows, and what those rows have
# in common no further split can show. That is why the corrected intervals of Table 13 are wider.
#
# </details>
#
# **3. Without the favourite.** The plan credits its first judge with most of the gain. Leave that judge out of the pool
# and plan again. Guess first: does the risk rise by as much as the judge was credited with?
#
# <details><summary>Solution</summary>
#
# ```python
# from judgekit.studies.copies import without_judges
#
# calls = study.plans.query("policy == 'role_routed' and slice == 'all' and order == 0")
# calls = calls.groupby("setting")
# first = calls["judge"].agg(lambda names: names.mode()[0])
# fewer = [without_judges(pool, [first[pool.name]]) for pool in pools]
# again = study_pools(fewer, ["role_routed"], plan_settings, splits=splits, seed=seed).scores
# runs = {"with": study.scores.query("policy == 'role_routed'"), "without": again}
# risks = pd.DataFrame({name: run.groupby("setting")["risk"].mean() for name, run in runs.items()})
# lost = risks["without"] - risks["with"]
# risks.assign(first=first, credited=calls["gain"].mean(), lost=lost).round(3)
# ```
#
# By less in every setting, and by far less in most. Recorded `triviaqa` credits Llama3-70B with 0.146, and without it
# the plan is 0.002 worse: GPT-4 or Llama-70B steps in. Recorded `llmbar_all` credits GPT-4 with 0.108 and loses 0.058,
# since nobody else there is as good. On the simulated `sim_jbb7` it is 0.107 and 0.023. The first judge's gain is
# measured against knowing nothing but the base rate, so it is credited with all that it shares with the others. A gain
# depends on who was called before: to learn what a pool would lose with a judge, leave the judge out and plan again.
#
# </details>

# %% [markdown]
# # Copy stress: what happens when the same judge is paid twice
#
# *Rebuilds*: Tables 9 and 19 of the role-allocation paper, and copies that are not quite copies.
# *Needs*: nothing for the `simulated` profile; the recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: about a quarter of a minute.
#
# A [pool](glossary.md#pool) grows easily: another prompt, another checkpoint of the same model, a second run. On
# paper it then has more judges; in truth it may have the same evidence twice. A good
# [policy](glossary.md#policy) should not be moved by that. The paper tests it with the plainest
# [copy](glossary.md#copy) there is: four judges that repeat another one word for word.
#
# **Question.** Which policies notice that a judge is a copy, what does it cost those that do not, and from
# where on does a copy become a judge of its own?

# %% tags=["parameters"]
profile = "simulated"
settings = []
shown = ["sim_llmbar7", "sim_jbb7"]
near_copy_setting = "sim_llmbar_prompts"
near_copies = [["gemma3_12b_json", "gemma3_12b_letter"], ["llama3_8b_json", "llama3_8b_letter"]]
prompt_setting = "sim_llmbar_prompts"
copies = 4
splits = 10
gain_threshold = 0.005
seed = 0

# %%
import pandas as pd

from judgekit.plan import PlanSettings
from judgekit.report import outputs
from judgekit.report.beside import beside
from judgekit.report.cells import readable
from judgekit.report.live import drag
from judgekit.report.plots import role_stress
from judgekit.report.plots.dials import plot_copies
from judgekit.report.tables import role_copies, role_plans, roles
from judgekit.sources.settings import load_role_pool, load_role_pools
from judgekit.studies.copies import Copies, duplicate_gains, near_copy_gains, study_copies, without_judges
from judgekit.studies.role_policies import pool_rng, study_pools

# %%
out = outputs.current()
pools = load_role_pools(profile, settings)
shown_pools = load_role_pools(profile, shown)
plan_settings = PlanSettings(gain_threshold=gain_threshold)

# %% [markdown]
# ## Four exact copies (Table 9)
#
# The paper does not say which judge is copied. Here it is the best one of each split, the judge of lowest
# validation risk: a jury that trusts its judges is misled most by the copy it trusts most. The ten splits are
# those of notebook 04.
#
# Look at each pair of rows. *All judges* keeps its [risk](glossary.md#risk), since a copy never opens a new
# [pattern](glossary.md#pattern), but pays for every call. The [jury](glossary.md#reliability-jury) counts one
# opinion five times as if it were five. The [cascade](glossary.md#frugal-cascade) keeps its risk and asks the
# copies before anyone new. The *role plan* should change in no digit.

# %%
four = f"+{copies} copies"
conditions = {"base": Copies(0), four: Copies(copies)}
policies = ["flat_all", "reliability_jury", "frugal_cascade", "top_k", "full_stack", "role_routed"]
checked = [*policies, "role_strict"]
stress = pd.concat(
    study_copies(p, checked, plan_settings, conditions, splits=splits, rng=pool_rng(seed, p.name))
    for p in pools
)
table09 = roles.copy_stress(stress)
readable(out.table(table09, "roles/table09_copy_stress"))

# %% [markdown]
# The same as changes: with copies minus without. Everything should lie on the line in the left panel;
# whatever lies right of it believed the copies. In the right panel, whatever lies right of the line paid for
# them.

# %%
changes = role_copies.copy_changes(stress)
drawn = changes[changes["policy"] != "role_strict"]
axes = out.figure(role_stress.plot_copy_changes(drawn), "roles/copy_stress")

# %% [markdown]
# Published beside rebuilt. The levels differ because the judges do, and the paper may have copied another
# one; what can be compared is what moves and what does not. Simulated settings were tuned to Table 3, so they
# show the mechanism and are no evidence.

# %%
risks = ["jury_all_risk", "cascade_risk", "cascade_cost", "role_risk", "role_cost"]
beside("table09_copy_stress", table09, profile=profile, columns=risks)

# %% [markdown]
# ## Unchanged to the last digit?
#
# As a variant, one copy each of the four best joins as well. A mean can hide two changes that cancel. So the
# next table counts settings in which *every* split keeps the very same risk and calls, bit for bit. Look at
# the role plans: both counts must equal the number of settings. Then look at `risk_worse` of the jury, and at
# `top_k`: it picks judges by their own merit, so it fills up with copies of the best one, and loses what the
# second-best would have added.

# %%
spread = {"+1 copy each": Copies(copies, "each")}
checked = ["flat_all", "reliability_jury", "frugal_cascade", "role_routed"]
variant = [
    study_copies(p, checked, plan_settings, spread, splits=splits, rng=pool_rng(seed, p.name)) for p in pools
]
base = stress.query("condition == 'base' and policy in @checked")
changes = pd.concat([changes, role_copies.copy_changes(pd.concat([base, *variant]))])
readable(out.table(role_copies.copy_exactness(changes), "roles/copy_exactness"))

# %% [markdown]
# Why the role plan stands still: it asks what a judge adds *given the panel*. An exact duplicate of a panel
# member splits no pattern, so its conditional gain is zero, whichever member is doubled.

# %%
gains = [duplicate_gains(p, plan_settings, splits=splits, rng=pool_rng(seed, p.name)) for p in pools]
out.table(role_copies.duplicate_gains(pd.concat(gains)), "roles/duplicate_gains")

# %% [markdown]
# ## From none to eight copies
#
# Look at the jury's line: does the damage level off, or does each copy add to it? In the lower row the
# cascade's cost grows more slowly than that of calling everyone, because confident rows stop before the
# copies' turn.

# %%
counts = {str(count): Copies(count) for count in range(9)}
grown = pd.concat(
    study_copies(p, policies, plan_settings, counts, splits=splits, rng=pool_rng(seed, p.name))
    for p in shown_pools
)
curve = role_copies.copy_means(grown)
curve.insert(1, "copies", curve.pop("condition").astype(int))
axes = out.figure(role_stress.plot_copy_curve(curve), "roles/copy_curve")
table = out.table(curve.drop(columns="copy_calls"), "roles/copy_curve")

# %% [markdown]
# The same to drag. Each policy starts at its open mark and walks as copies join: to the right it pays more,
# upwards it errs more. Who stays where it is, who walks to the right only, and who climbs?

# %%
panels = drag(lambda copies: plot_copies(curve, copies=copies), {"copies": (0, 8, 1, min(copies, 8))})

# %% [markdown]
# ## Copies with slips
#
# Real copies slip. Let each copy turn round a share of its original's verdicts at random: 0 is an exact copy,
# 0.5 a coin. Such a copy can never help once its original is called: it is the original seen through noise,
# and knows nothing else of the label. So the right number of copies to call is zero everywhere, and any call
# of one is a mistake made on validation rows.
#
# Look at three things. The *jury* recovers as the copies turn into coins: it measures each judge's
# reliability and learns to ignore them. *All judges* suffers, because coins scatter the rows over patterns
# too rare to calibrate. And the *role plan* calls a few: a route is judged on the few validation rows of one
# slice, where luck can pass for gain.

# %%
flips = {f"{s}": Copies(copies, "best", "flip", s) for s in (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)}
compared = ["flat_all", "reliability_jury", "frugal_cascade", "full_stack", "global_panel", "role_routed"]
flipped = pd.concat(
    study_copies(p, compared, plan_settings, flips, splits=splits, rng=pool_rng(seed, p.name))
    for p in shown_pools
)
slips = role_copies.copy_means(flipped)
slips.insert(1, "share", slips.pop("condition").astype(float))
table = out.table(slips, "roles/copy_slips")
axes = role_stress.plot_noisy_copies(slips, label="share of verdicts turned round")
axes = out.figure(axes, "roles/copy_slips")

# %% [markdown]
# ## From a copy to a judge of its own
#
# A copy earns a call only by making *other* mistakes. Now a share of its verdicts is drawn afresh: what the
# original said on some other row of the same slice and label. The copy stays exactly as good as its original
# on average; at 0 it repeats it, at 1 its errors are its own.
#
# Look for the share at which the risk of the role plan leaves its starting level, and how the number of
# copies called follows. Near 0 a call of a copy beside its original is wasted (one in its place costs nothing
# and counts here too); near 1 the copies are the best buy in the pool, and the jury, whose assumption of
# independent errors has become true, comes into its own.

# %%
redraws = {f"{s}": Copies(copies, "best", "redraw", s) for s in (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)}
redrawn = pd.concat(
    study_copies(p, compared, plan_settings, redraws, splits=splits, rng=pool_rng(seed, p.name))
    for p in shown_pools
)
fresh = role_copies.copy_means(redrawn)
fresh.insert(1, "share", fresh.pop("condition").astype(float))
table = out.table(fresh, "roles/copy_redraws")
axes = role_stress.plot_noisy_copies(fresh, label="share of verdicts drawn afresh")
axes = out.figure(axes, "roles/copy_redraws")

# %% [markdown]
# ## Near-copies as they come
#
# In the recorded JailbreakBench data one model judged everything twice under each of two rubrics; the
# simulated profile has five judges that answer two prompts each instead. Look at `agreement`, then at
# `copy_gain`: what the second one adds to the first, beside what the best other judge would add
# (`other_gain`). `worth_a_call` counts the splits in which the near-copy passes the threshold.

# %%
near_pool = load_role_pool(profile, near_copy_setting)
near = near_copy_gains(
    near_pool, near_copies, plan_settings, splits=splits, rng=pool_rng(seed, near_pool.name)
)
readable(out.table(role_copies.near_copies(near), "roles/near_copies"))

# %% [markdown]
# The pool without the near-copies, and with them, on the same rows and splits. Near-copies are not exact: the
# role plan may now change. Look at how much, beside the jury.

# %%
fewer = without_judges(near_pool, [copy for _, copy in near_copies])
before = study_pools([fewer], policies, plan_settings, splits=splits, seed=seed).scores
after = study_pools([near_pool], policies, plan_settings, splits=splits, seed=seed).scores
both = pd.concat([before.assign(condition="without near-copies"), after.assign(condition="with them")])
readable(out.table(roles.copy_stress(both), "roles/near_copy_stress"))

# %% [markdown]
# ## Ten prompts are not ten judges (Table 19)
#
# Five judges, two prompts each. Is a second prompt a second opinion? Look at *Flat all prompt variants*
# against *Single best*, then at how far the stack and the routed plan get with the same ten signals.

# %%
prompts = load_role_pool(profile, prompt_setting)
variants = ["single_best", "flat_all", "top_k", "frugal_cascade", "full_stack", "role_routed"]
prompt_study = study_pools([prompts], variants, plan_settings, splits=splits, seed=seed)
table19 = out.table(roles.prompt_variants(prompt_study.scores), "roles/table19_prompt_variants")
beside("table19_prompt_variants", table19, profile=profile, columns=["risk", "accuracy", "cost"])

# %% [markdown]
# Which prompts the routed plan calls in at least three of ten splits. Look for a judge that is called under
# both of its prompts on the same rows: there the second prompt was a second opinion.

# %%
role_plans.call_frequencies(prompt_study.plans, least=3)

# %% [markdown]
# ## Three exercises
#
# **1. The first copy and the eighth.** Four copies raise the jury's risk. Guess how much of that the first
# one does alone: a quarter? And where does the line end, if ever more copies join? Drag the slider, or read
# `curve`.
#
# <details><summary>Solution</summary>
#
# ```python
# jury = curve.query("policy == 'reliability_jury'")
# jury = jury.pivot(index="setting", columns="copies", values="risk")
# jury.sub(jury[0], axis=0).div(jury[4] - jury[0], axis=0).round(2)
# ```
#
# Half of it on recorded LLMBar (`llmbar_gpt4`), a seventh on recorded JailbreakBench (`jbb_proxy`); a quarter
# and a twentieth on the two simulated settings. The stronger the judge already is among the others, the
# sooner its copies outvote them. Once they do, the jury says what that judge says, and only grows surer of
# it: the line ends at the judge's own error rate, which is the risk of a verdict taken as certain. On the
# recorded settings that is 0.152 and 0.100, and with 40 copies the jury is there to the last digit.
#
# </details>
#
# **2. How many coins?** A copy with half of its verdicts turned round is a coin: it can help nobody. Of four
# such coins, how many will the role plan call a row if `gain_threshold` is 0? And if it is 0.02? And of four
# exact copies?
#
# <details><summary>Solution</summary>
#
# ```python
# kinds = {"exact": Copies(copies), "coins": Copies(copies, "best", "flip", 0.5)}
# rows = []
# for bar in (0.0, 0.005, 0.02):
#     for pool in shown_pools:
#         bars, rng = PlanSettings(gain_threshold=bar), pool_rng(seed, pool.name)
#         found = study_copies(pool, ["role_routed"], bars, kinds, splits=splits, rng=rng)
#         rows.append(found.assign(bar=bar))
# means = pd.concat(rows).groupby(["setting", "condition", "bar"])[["copy_calls", "risk"]].mean()
# means.unstack("bar").round(3)
# ```
#
# Exact copies: none at any threshold, since their gain is zero exactly. Coins: their gain is zero only on
# average, and a threshold of 0 buys every one that had luck on the validation rows. On the recorded settings
# that is 0.67 and 1.44 coins a row at 0, then 0.24 and 0.43 at 0.005, and 0.12 and 0.14 at 0.02; the
# simulated settings give 1.36 and 1.08, 0.59 and 0.38, 0.03 and none. At 0 the risk pays as well: 0.106
# against 0.098 with exact copies on `llmbar_gpt4`, 0.078 against 0.069 on `jbb_proxy`. The threshold is less a
# price than a guard against luck.
#
# </details>
#
# **3. Copies of the worst judge.** The jury is misled by copies of the judge that it trusts most. It trusts
# the worst judge least. Will four copies of that one leave it alone?
#
# <details><summary>Solution</summary>
#
# ```python
# from judgekit.panel import quality_order
# from judgekit.policies import reliability_jury
# from judgekit.studies.copies import add_copies
# from judgekit.studies.role_policies import draw_splits, score_policy
#
# rows = []
# for pool in shown_pools:
#     for split in draw_splits(pool, splits=splits, rng=pool_rng(seed, pool.name)):
#         order = quality_order(pool.audit(split), plan_settings)
#         for copied, judges in {"best": order, "worst": order[::-1]}.items():
#             more = add_copies(pool, Copies(copies), judges, [])
#             jury = reliability_jury(more.audit(split), plan_settings)
#             rows.append({"setting": pool.name, "copied": copied} | score_policy(more, jury, split))
# pd.DataFrame(rows).groupby(["setting", "copied"])["risk"].mean().unstack().round(4)
# ```
#
# No. Recorded: 0.118 without copies becomes 0.127 with the worst judge's and 0.152 with the best one's on
# `llmbar_gpt4`; 0.071 becomes 0.086 and 0.099 on `jbb_proxy`. On the simulated `sim_jbb7` the worst judge's
# copies even do more harm, 0.166 against 0.152. Little trust counted five times is much trust: five times a
# small log-odds is a large one. The jury knows how good each judge is; what it does not know is that they
# are one.
#
# </details>

# %% [markdown]
# # Role routing: whom to call, on which rows, and when to stop
#
# *Rebuilds*: Tables 2, 3, 11 and 12 and Figure 1 of the role-allocation paper.
# *Needs*: nothing for the `simulated` profile; the recorded data sets for `recorded` (`judgekit data fetch`).
# *Takes*: under half a minute.
#
# A pool of judges costs money on every row. The role-allocation paper asks which judges earn it. On a small labelled
# audit set it measures what each judge adds to the judges already called, its **conditional gain**, and turns the
# gains into a **call plan**: call these judges on every row, those only on this slice, and stop there. Risk is a Brier
# score throughout: the squared distance between a calibrated probability and the label, so lower is better and 0.25 is
# a coin.

# %% tags=["parameters"]
profile = "simulated"
settings = []
splits = 10
gain_threshold = 0.005
seed = 0

# %%
from judgekit.plan import PlanSettings
from judgekit.report import outputs
from judgekit.report.beside import beside
from judgekit.report.plots.roles import plot_regimes
from judgekit.report.tables import role_plans, roles
from judgekit.sources.settings import load_role_pools
from judgekit.studies.role_policies import study_pools

out = outputs.current()
pools = load_role_pools(profile, settings)
plan_settings = PlanSettings(gain_threshold=gain_threshold)

# %% [markdown]
# ## The settings
#
# Look at the last two columns. A slice may route only when it is known before any judge has been asked: a data field
# (`metadata`), or the verdict of a judge that is called and paid for first. A slice that needs the label could be
# analysed, but no plan may use it.

# %%
role_plans.settings_overview(pools)

# %%
role_plans.pools_overview(pools)

# %% [markdown]
# ## Rows kept (Table 12)
#
# A row counts only if every judge of the pool answered and a trustworthy label exists. Look for the pool in which one
# judge costs half the rows: what a pool is tested on depends on who is in it.

# %%
out.table(role_plans.complete_cases(pools), "roles/table12_complete_case")

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
policies = ["single_best", "flat_all", "global_panel", "role_routed", "full_stack"]
study = study_pools(pools, policies, plan_settings, splits=splits, seed=seed)
table03 = out.table(roles.policy_comparison(study.scores), "roles/table03_policy_comparison")
table03

# %% [markdown]
# Published beside rebuilt. *Same rows, other judges* means that the items are the paper's and the judges are not: the
# difference is the judges'. An *analogue* shares the task only, so only the order of policies can be compared.

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
out.figure(axes, "roles/figure01_regimes");

# %% [markdown]
# ## Three things to try
#
# 1. Set `gain_threshold` to 0.02 and run again. Calls fall; does the risk rise everywhere?
# 2. Set `splits` to 2, then change `seed`. How much of a difference between two policies would you have believed?
# 3. Add a setting of your own to `nbconfig/settings/recorded.yaml` by copying five lines, with one judge left out.

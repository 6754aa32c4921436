# %% [markdown]
# # Start here
#
# *Rebuilds*: no table; one live example of each paper.
# *Needs*: nothing for the `simulated` profile; the LLMBar judgments for `recorded` (`judgekit data fetch llmbar`).
# *Takes*: seconds to run, ten minutes to read.
#
# People grade the outputs of language models with other language models. One such grader is a
# [judge](glossary.md#judge); several of them are a [pool](glossary.md#pool). Two papers say how to use a pool well, and
# this project rebuilds both on the outputs of real judges. Linked words lead to the [glossary](glossary.md).
#
# * **Role-conditioned allocation**: find out from a few labelled examples who is worth calling where, and call nobody
#   else.
# * **JudgeMoE**: keep each judge's whole probability vector over the scores, weigh the judges on every example, pool
#   the vectors, and only then read off a score.

# %% tags=["parameters"]
profile = "simulated"
setting = ""
seed = 0

# %%
import numpy as np
import pandas as pd

from judgekit.plan import PlanSettings, plan_calls
from judgekit.policies import POLICIES
from judgekit.report.plots import start
from judgekit.sources.settings import load_role_pools, role_settings
from judgekit.studies.introduction import accuracy_by_slice, some_verdicts
from judgekit.studies.role_policies import draw_splits, planned_calls, score_policy

names = [setting] if setting else list(role_settings(profile))[:1]
pool = load_role_pools(profile, names)[0]
rng = np.random.default_rng(seed)

# %% [markdown]
# ## A pool of judges
#
# Each row is one question with two answers. A verdict of 1 says that the answer shown first is better; the label says
# which one truly is. Look for a row on which most judges are wrong together: a majority vote would be wrong there too.

# %%
some_verdicts(pool, rows=8, rng=rng)

# %% [markdown]
# ## Who is right where
#
# The rows fall into [slices](glossary.md#slice): kinds of question that can be told before any judge is asked. Read the
# table by column. On `natural` questions every judge is right far more often than not. On an adversarial slice some
# judges fall below 0.5, which is worse than a coin and yet useful: a judge that is reliably wrong tells us what the
# right answer is, if we know that we are on that slice.

# %%
axes = start.plot_accuracy_by_slice(accuracy_by_slice(pool))

# %% [markdown]
# ## The first paper, live: a call plan
#
# A quarter of the rows fits tables, a quarter chooses judges, and the test half is looked at once. The
# [plan](glossary.md#call-plan) starts with the best judge and adds whichever lowers the validation
# [risk](glossary.md#risk) most, while that is at least 0.005; then it does the same within each slice.
#
# Look at the first lines (`all`: called on every row) and at what each slice adds. A judge that never appears is a
# copy of what the plan already knows, or of no use.

# %%
split = draw_splits(pool, splits=1, rng=rng)[0]
audit = pool.audit(split)
plan = plan_calls(audit, PlanSettings())
pd.DataFrame(planned_calls(plan)).round(4)

# %% [markdown]
# Was it worth it? Risk is a Brier score, the squared distance between a calibrated probability and the label: 0.25 is a
# coin, 0 is perfect. Look at the bar of the plan beside "all judges", and at the calls each one pays for.

# %%
compared = {"one judge": "single_best", "all judges": "flat_all", "call plan": "role_routed"}
fitted = {name: POLICIES[policy](audit, PlanSettings()) for name, policy in compared.items()}
scores = pd.DataFrame({name: score_policy(pool, policy, split) for name, policy in fitted.items()}).T
axes = start.plot_risks(scores["risk"], scores["calls"])

# %% [markdown]
# One split proves little. [04_role_routing](04_role_routing.ipynb) repeats this on ten splits of every setting, and
# shows where calling everybody is the better choice.
#
# ## The second paper, live: keep the whole vector
#
# Three judges score one summary from 1 to 5. Two of them say "3 on average", and mean very different things: one is
# sure that the summary is middling, the other thinks it is either very good or very bad. Reading off a score first
# throws that away.
#
# Look at the two pools. The [linear pool](glossary.md#linear-pool) averages the vectors, the
# [log pool](glossary.md#log-pool) multiplies them. Here they come out alike: no judge rules a score out, and then a
# product says little that an average does not.

# %%
from judgekit.pooling import pool_linear, pool_log

support = np.arange(1.0, 6.0)
judges = pd.DataFrame(
    [[0.02, 0.08, 0.80, 0.08, 0.02], [0.45, 0.03, 0.04, 0.03, 0.45], [0.02, 0.03, 0.15, 0.35, 0.45]],
    index=["sure", "torn", "generous"],
    columns=support,
)
vectors = judges.to_numpy()[None]
pooled = {"linear pool": pool_linear(vectors, support), "log pool": pool_log(vectors, support)}
shown = pd.concat([judges, pd.DataFrame({k: v.probs[0] for k, v in pooled.items()}, index=support).T])
axes = start.plot_distributions(shown, pools=tuple(pooled))

# %% [markdown]
# They part where a judge is sure, since a score that one judge rules out is ruled out for all. Below, two judges who see
# something and one who is sure of itself and sees little score 500 simulated summaries, and the one on which the means
# of the pools lie furthest apart is drawn. Look at the scores to which the third judge gives next to nothing: the linear
# pool keeps what the others say of them, the log pool takes most of it away. That makes it sharp where such a judge is
# right, and puts it at the mercy of one that is wrong: compare the means with what the people said.

# %%
from judgekit.sources.score_simulator import ScoreJudge, ScoreScenario, simulate_scores

sighted, blind = ScoreJudge(0.8), ScoreJudge(0.3, claimed_skill=0.99)
scenario = ScoreScenario({"first": sighted, "second": sighted, "too sure": blind})
drawn = simulate_scores(scenario, rng=np.random.default_rng(seed)).judgments
both = {"linear pool": pool_linear(drawn.probs, support), "log pool": pool_log(drawn.probs, support)}
item = np.abs(both["linear pool"].score - both["log pool"].score).argmax()
rows = [*drawn.probs[item], *(pooled_all.probs[item] for pooled_all in both.values())]
shown = pd.DataFrame(rows, index=["first", "second", "too sure", *both], columns=support)
axes = start.plot_distributions(shown, pools=tuple(both))
print(f"the people said {drawn.target[item]:.2f}")

# %% [markdown]
# ## Three exercises
#
# Guess first, then open the solution, and paste its lines into a new cell.
#
# **1. The same mean without the doubt.** Let the "torn" judge say `[0, 0, 1, 0, 0]`: still 3 on average, and now sure.
# How far do the means of the two pools move?
#
# <details><summary>Solution</summary>
#
# ```python
# certain = judges.copy()
# certain.loc["torn"] = [0, 0, 1, 0, 0]
# for name, pool_of in {"linear": pool_linear, "log": pool_log}.items():
#     found = pool_of(certain.to_numpy()[None], support)
#     print(name, found.probs[0].round(2), found.score[0].round(2))
# ```
#
# The linear pool's mean does not move at all: it is 3.39 before and after, since the mean of an average is the average
# of the means. The log pool goes from 3.50 to 3.04 and puts 0.94 on the 3. It had listened to the generous judge
# because the torn one left room for it; a judge that is sure leaves none. This is the paper's point: two judges with the
# same score are not the same evidence, and only a pool of whole vectors can tell.
#
# </details>
#
# **2. Ten audits, ten plans.** Draw ten other splits of the same rows and plan on each. How many of the calls will be
# there every time?
#
# <details><summary>Solution</summary>
#
# ```python
# from collections import Counter
#
# counts = Counter()
# for other in draw_splits(pool, splits=10, rng=np.random.default_rng(1)):
#     counts.update(plan_calls(pool.audit(other), PlanSettings()).calls())
# counts.most_common(8)
# ```
#
# One: the strong judge on every row (`GPT-4` recorded, `anchor` simulated). On the recorded rows `ChatGPT` on every row
# and `LLaMA2` on `adversarial_neighbor` come back in most plans, and look at what LLaMA2 is there for: it is right on a
# quarter of those rows, and so, read backwards, on three quarters. All other calls come and go. A plan from one audit is
# a proposal; [06_audit_shift](06_audit_shift.ipynb) measures how firm it is.
#
# </details>
#
# **3. A veto.** Give the "generous" judge a 0 on the score 3: `[0.02, 0.03, 0, 0.42, 0.53]`. Another judge puts 0.8
# there. How much of the 3 is left in each pool?
#
# <details><summary>Solution</summary>
#
# ```python
# vetoed = judges.copy()
# vetoed.loc["generous"] = [0.02, 0.03, 0, 0.42, 0.53]
# vectors = vetoed.to_numpy()[None]
# print("linear", pool_linear(vectors, support).probs[0].round(2))
# for floor in (1e-2, 1e-4, 1e-8):
#     print("log", floor, pool_log(vectors, support, floor=floor).probs[0].round(2))
# ```
#
# In the linear pool 0.28 (it was 0.33): a judge moves it by a third of its own change at most. In the log pool 0.04 (it
# was 0.32), against a judge that was all but certain. And 0.04 is there only because a zero counts as the floor, 1e-4;
# with a floor of 1e-8 next to nothing is left, with 0.01 four times as much. [03_sparse_repair](03_sparse_repair.ipynb) shows
# what that does to a pool with one bad judge in it.
#
# </details>
#
# ## Where next
#
# * **A word**: the [glossary](glossary.md).
# * **A quarter of an hour**: this notebook, then `reports/index.html` once `make reports` has run: printed numbers beside
#   rebuilt ones.
# * **An hour**: [04_role_routing](04_role_routing.ipynb) up to *What the gain of routing is made of*, then
#   [08_theory](08_theory.ipynb) with its sliders, then the main table of
#   [02_conditional_aggregation](02_conditional_aggregation.ipynb).
# * **An afternoon**: [01_protocol](01_protocol.ipynb), 02, [03_sparse_repair](03_sparse_repair.ipynb) and
#   [07_experts](07_experts.ipynb) for JudgeMoE; 04, [05_copy_stress](05_copy_stress.ipynb) and
#   [06_audit_shift](06_audit_shift.ipynb) for the roles; [11_claims](11_claims.ipynb) for what held. Then your own
#   judges: [09_run_judges](09_run_judges.ipynb) and [10_your_panel](10_your_panel.ipynb).

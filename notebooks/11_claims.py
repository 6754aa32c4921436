# %% [markdown]
# # Claims: 204 statements, one by one
#
# *Rebuilds*: nothing; it holds every published claim of both papers against the tables that the other notebooks wrote.
# *Needs*: their tables under `reports/` (`judgekit rebuild`); a table that is not there is *not rebuilt yet*.
# *Takes*: seconds.
#
# A paper is a list of [claims](glossary.md#claim). Each of the 204 in `data/published/claims.yml` has a condition, such
# as `role_risk < single_risk`, that can be true or false of a table. Here the conditions are evaluated on rebuilt
# tables. Four things decide how far a [verdict](glossary.md#verdict) reaches:
#
# * **the same rows, other judges**: the paper's items, scored by other judges. A failure says that the finding depends
#   on the judges.
# * **an [analogue](glossary.md#analogue)**: other items of the same task too. Only directions can be compared. Which
#   rebuilt setting stands beside which printed one is the list of [counterparts](glossary.md#counterpart).
# * **a definition**: no data could make it fail. It counts for nothing.
# * **simulated**: the generator of this [profile](glossary.md#profile) was tuned to printed figures. Its rows are
#   *consistent* or *inconsistent*, never evidence, and what it was tuned to was not tested.

# %% tags=["parameters"]
profile = "simulated"
opened = "ra-030"
study = "role_routing"

# %%
import pandas as pd

from judgekit.report.claims.ledger import frame, ledger_of, tally
from judgekit.report.claims.words import explained
from judgekit.report.plots.claims import plot_tally

# %%
pd.set_option("display.max_colwidth", None)
verdicts = ledger_of(profile)
table = frame(verdicts).set_index("claim")

# %% [markdown]
# ## At a glance
#
# Look at the last column first: a third of all claims are definitions, rules or theorems, and a ledger that counted
# them as successes would flatter everybody. Then compare *holds* with *fails*, or *consistent* with *inconsistent*.

# %%
tally(verdicts)

# %%
axes = plot_tally(tally(verdicts, by="study"))

# %% [markdown]
# ## One claim, opened
#
# The parameter `opened` chooses it. Look at three lines: what it rests on, the values in each setting, and the note,
# which says what the *printed* numbers say against the paper's own wording. A claim with several settings may hold in
# some of them only; then it is mixed, and the words say in how many.

# %%
print("\n".join(explained(next(verdict for verdict in verdicts if verdict.claim.id == opened))))

# %% [markdown]
# ## What carries over, and what does not
#
# One study (parameter `study`), without its definitions. Look for the pattern and not for the score: which *kind* of
# claim carries over to other judges? On the recorded judges, claims on one setting's exact order of three policies
# (`ra-027` to `ra-034`) mostly do not: two of seven hold. Broad ones over many settings (`ra-035`, `ra-055`, `ra-069`)
# do, and so do all three about [copies](glossary.md#copy): set `study` to `"copy_stress"`.

# %%
shown = table[(table["study"] == study) & (table["status"] != "definition")]
shown[["statement", "verdict", "rests_on"]]

# %% [markdown]
# ## How close is the evidence?
#
# Verdicts by how the settings stand to the paper's; *cells* and *several* mix same rows and others. Look at the row of
# analogues: a verdict there is weaker in both directions, since the items differ as well as the judges.

# %%
tally([verdict for verdict in verdicts if verdict.outcomes], by="kinds")

# %% [markdown]
# ## What cannot be told here, and what would tell it
#
# Every claim without a verdict names the reason and, where one would help, the run that would give a verdict. Look at
# how few different runs it takes: each paper's pool of local judges on a handful of public sets would settle most of
# what the recorded judges leave open. The simulated profile lacks settings instead: it has one LLMBar pool, not three.

# %%
open_claims = table[table["status"].isin(["not testable here", "not rebuilt yet"])]
open_claims[["status", "reason", "run"]]

# %% [markdown]
# ## Reading without favour
#
# Notes with the arithmetic on the printed numbers themselves. They need no judge at all: only the paper's own tables
# and half-widths. Look for gaps that are smaller than the two half-widths together.

# %%
table.loc[table["note"] != "", ["statement", "note"]]

# %% [markdown]
# ## Three exercises
#
# **1. A failure, opened.** By `ra-039` the plan on LLMBar has lower risk than the baseline matched in cost, and higher
# risk than the best method that calls every judge. It fails in every LLMBar setting. Guess first: bad news for the
# plan? Set `opened` to `"ra-039"` and read the values. Then look at what the plan and its matched baseline cost.
#
# <details><summary>Solution</summary>
#
# ```python
# from judgekit.report.published import CHECKOUT
#
# found = pd.read_csv(CHECKOUT / "reports" / profile / "tables/roles/table04_strong_baselines.csv")
# lead = (found["matched_non_role_risk"] - found["role_risk"]).round(4)
# dearer = found["role_cost"] > found["matched_non_role_cost"]
# outcome = lead.map(lambda gap: "wins" if gap > 0 else "loses" if gap < 0 else "ties")
# pd.crosstab(outcome, dearer, rownames=["the plan"], colnames=["and costs more"])
# ```
#
# It fails because the plan does *better* than printed: it is below the best full-call method too, 0.1025 against 0.1153
# on recorded `llmbar_gpt4`, 0.1912 against 0.2065 on the simulated one. A condition knows no direction of surprise: read
# the values before you count a failure against somebody.
#
# The other half of the claim stands, and is worth less than it sounds. Recorded, the plan beats its matched baseline in
# 11 of 15 settings, and in all 11 it costs more; simulated, in 3 of 8, and in all 3 it costs more. "Matched" means
# matched to the panel *before* routing, and the routed calls come on top. Of the five printed wins four are dearer too
# (the note of `ra-116`).
#
# </details>
#
# **2. Against a coin.** A claim of three comparisons has three chances to fail. Suppose that every comparison were a
# coin: a half of the claims of one comparison would hold, a quarter of those of two, an eighth of those of three. By
# how much do the papers' claims beat the coin, and which beat it by more: the short or the long ones?
#
# <details><summary>Solution</summary>
#
# ```python
# rows = [
#     (verdict.claim.condition.text.count(" and ") + 1, outcome.holds)
#     for verdict in verdicts
#     if verdict.status not in ("definition", "tuned")
#     for outcome in verdict.outcomes
# ]
# counted = pd.DataFrame(rows, columns=["comparisons", "holds"]).dropna().astype({"holds": bool})
# shares = counted.groupby("comparisons")["holds"].agg(["size", "mean"])
# shares.assign(coin=0.5**shares.index).round(2)
# ```
#
# Setting by setting on the recorded judges, 62% of the claims of one comparison are true, 45% of those of two and 38%
# of those of three; the coin has 50%, 25% and 13%. (Simulated, without what was tuned: 71%, 52% and 50%.) The short
# claims barely beat it, the long ones by far. So a long claim that fails is no scandal. Nor is one that holds three
# successes: its comparisons share rows, judges and policies, and where a plan beats one rival it mostly beats the next.
# Settings share them too, which is why no p value stands here.
#
# </details>
#
# **3. Does the simulator foresee?** It was tuned to some printed figures, and claims on those are set aside. Of the
# claims that are left, take those that are *consistent* with it. Which share of them holds on the recorded judges, and
# which share of the *inconsistent* ones? What could a simulator know about real judges?
#
# <details><summary>Solution</summary>
#
# ```python
# names = ("recorded", "simulated")
# both = {name: frame(ledger_of(name)).set_index("claim")["status"] for name in names}
# shared = pd.crosstab(both["recorded"], both["simulated"])
# shared.loc[["holds", "fails"], ["consistent", "inconsistent"]]
# ```
#
# Of the consistent ones 27 of 47 hold, of the inconsistent ones 5 of 28. It knows nothing about real judges, but three
# things are the same in both profiles: our code, the wording, and how hard a condition is to meet. The claims on copies
# (`ra-079` to `ra-081`) hold with any judges: given the original, a copy's gain is zero by construction. "The protocol
# makes a difference" (`jm-003`) asks for a difference above zero. And a claim that holds by two profiles is still one
# claim, read by one program: agreement between our own tables checks the program more than the paper.
#
# </details>

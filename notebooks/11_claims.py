# %% [markdown]
# # Claims: 204 statements, one by one
#
# *Rebuilds*: nothing; it holds every published claim of both papers against the tables that the other notebooks wrote.
# *Needs*: their tables under `reports/` (`judgekit rebuild`); a table that is not there is *not rebuilt yet*.
# *Takes*: seconds.
#
# A paper is a list of claims. Each of the 204 in `data/published/claims.yml` has a condition, such as
# `role_risk < single_risk`, that can be true or false of a table. Here the conditions are evaluated on rebuilt tables.
# Four things decide how far a verdict reaches:
#
# * **the same rows, other judges**: the paper's items, scored by other judges. A failure says that the finding depends
#   on the judges.
# * **an analogue**: other items of the same task too. Only directions can be compared.
# * **a definition**: no data could make it fail. It counts for nothing.
# * **simulated**: the generator was tuned to printed figures. Its rows are *consistent* or *inconsistent*, never
#   evidence, and what it was tuned to was not tested.

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
pd.set_option("display.max_colwidth", 200)
verdicts = ledger_of(profile)
table = frame(verdicts).set_index("claim")

# %% [markdown]
# ## At a glance
#
# Look at the last column first: a third of all claims are definitions, rules or theorems, and a ledger that counted
# them as successes would flatter everybody. Then compare the first two.

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
# claim carries over to other judges? In role routing, claims on one setting's exact order of three policies mostly do
# not. The claims that the plan is cheaper, and that copies and their like leave it alone, mostly do.

# %%
shown = table[(table["study"] == study) & (table["status"] != "definition")]
shown[["statement", "verdict", "rests_on"]]

# %% [markdown]
# ## How close is the evidence?
#
# Verdicts by how the settings stand to the paper's. Look at the row of analogues: a verdict there is weaker in both
# directions, since the items differ as well as the judges.

# %%
tally([verdict for verdict in verdicts if verdict.outcomes], by="kinds")

# %% [markdown]
# ## What cannot be told here, and what would tell it
#
# Every claim without a verdict names the reason and the run that would give one. Look at how few different runs it
# takes: one pool of local judges on a handful of public sets would settle most of them.

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
# ## Three things to try
#
# 1. Open `ra-035`. The plan has lower risk than the matched baseline in most settings. Is the baseline matched?
#
# <details><summary>Solution</summary>
#
# Only in name. It is matched to the calls of the panel *before* routing. Open `ra-039`: the plan wins there at 3.46
# calls against 2.50. Of the five printed wins, one (MBPP) comes at a lower cost.
#
# </details>
#
# 2. Which claims hold in every profile that can test them? Join `frame(ledger_of("recorded"))` with
#    `frame(ledger_of("simulated"))` on the claim.
#
# <details><summary>Solution</summary>
#
# Keep the rows with *holds* on the left and *consistent* on the right. The copies (`ra-079`, `ra-080`, `ra-081`) are
# among them, and they would be with any judges: our risk is a mean over rows, so a duplicate adds nothing by
# construction. A claim can hold for a reason that is not about judges.
#
# </details>
#
# 3. A condition with `==` on risks compares them at the printed digits. Find a claim where that matters.
#
# <details><summary>Solution</summary>
#
# `ra-032` and `ra-033` say that the plan *is* the single best judge. On the recorded SummEval scores the plan calls
# 1.03 judges and has a risk of 0.0474 against 0.0470: close, and not equal. Had the claim been worded as a tie within
# the half-width, it would hold.
#
# </details>

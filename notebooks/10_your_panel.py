# %% [markdown]
# # Your own panel: whom would you still call?
#
# *Rebuilds*: nothing of the papers; it plans calls to judges of your own.
# *Needs*: nothing for the `simulated` profile, which reads `data/examples/panel_sample.csv`; a file of your own for
# `local`: `judgekit rebuild 10_your_panel --profile local -p path FILE`.
# *Takes*: seconds; about half a minute for a million items.
#
# You have asked several [judges](glossary.md#judge) about the same items, and you know the right answer for some of them:
# an [audit set](glossary.md#audit-set).
# From it follows who earns a call, where, and whether the audit is large enough to say so. The file has one row per
# item and judge, with the columns `item`, `judge`, `score` and `label`; or `bucket` and `prob` in place of `score`.
# Columns for slices, `group`, `unit_cost` and `price` may stand beside them. The sample is **simulated**: no model was
# asked, and its truth is known.
#
# A [slice](glossary.md#slice) may route only if it is known before the call. Say how each is
# [known](glossary.md#signal): `topic` is a field of the data; `proxy=verifier:NAME` and `proxy=judge:NAME` are read from
# a verdict, which is then paid for on every row;
# `proxy=disagreement:A,B` from two; `kind=label` is known only afterwards, and never routes.

# %% tags=["parameters"]
profile = "simulated"
path = ""
slices = ["topic"]
mapping = ""
support = ""
gain_threshold = 0.005
cost_weight = 0.0
cost = "unit_cost"
splits = 10
seed = 0

# %%
from dataclasses import replace

import numpy as np
import pandas as pd
from IPython.display import Markdown

from judgekit.plan import PlanSettings
from judgekit.report import outputs
from judgekit.report import own_panel_words as words
from judgekit.report.cells import readable
from judgekit.report.own_panel import panel_frames
from judgekit.report.plots.own_panel import plot_own_frontier, plot_own_roles
from judgekit.report.tables.own_panel import saving
from judgekit.sources.own_panel import PanelOptions, panel_path, parse_mapping, parse_support, read_panel
from judgekit.studies.own_panel import PanelSettings, study_own_panel

# %%
from judgekit.studies.panel_check import check_panel

texts = parse_mapping(mapping) if mapping else None
scores = parse_support(support) if support else None
options = PanelOptions(tuple(slices), texts, scores, cost_column=cost)
panel = read_panel(panel_path(path, profile=profile), options)
settings = PanelSettings(PlanSettings(gain_threshold, cost_weight=cost_weight), splits=splits, seed=seed)
given = {"columns": panel.columns, "support": panel.support, "prices": panel.prices}
out = outputs.current()


# %%
def say(lines):
    return Markdown("\n".join(f"* {line}" for line in lines))


def study(settings, pools=panel.pools):
    return study_own_panel(pools, **given, settings=settings)


found = study(settings)
check = check_panel(panel.alignment, found.pool)
frames = panel_frames(check, found, priced=panel.priced)

# %% [markdown]
# ## The data, before anything else
#
# Look for three things: items that are dropped because one judge did not answer, a label that nearly all items share,
# and judges that agree nearly always. The first costs rows, the second makes every gain rest on few of them, and the
# third is money spent twice.

# %%
say(words.check_lines(check))

# %%
out.table(frames["judges"], "panel/judges")

# %% [markdown]
# In the next table, read the agreement of the first pairs. Two judges that agree on 95% of the items are **copies** to
# a plan, even if their makers differ: where both are wrong, neither corrects the other.

# %%
out.table(frames["pairs"], "panel/pairs").head(6)

# %% [markdown]
# ## Roles
#
# A judge's **gain** is what the risk loses when it is called on top of the others, or gains when a called one is left
# out. Look at the whiskers rather than at the marks: where a whisker crosses the dashed line, the name at the right
# edge is a best guess, and more labels could change it.

# %%
roles = out.table(frames["roles"], "panel/roles")
out.figure(plot_own_roles(roles), "panel/roles")
# %% [markdown]
# The same within each slice. A **specialist** has a gain below the line on all rows and above it somewhere here.

# %%
shown = ["judge", "role", "slice", "gain", "low", "high", "settled"]
roles.loc[roles["slice"] != "all", shown].round(4)

# %% [markdown]
# ## The call plan
#
# Read it as instructions. `gain` is the drop of validation risk at the moment the judge was added.

# %%
say(words.plan_lines(found))

# %%
out.table(frames["plan"], "panel/plan")

# %% [markdown]
# ## The regime, and why
#
# Four things can be right for a pool: route, stop early, drop copies, or call everything. Look at the last numbers: how
# far the best policy that calls every judge lies below the best plan. Only if that is clearly above zero is every
# call earned.

# %%
say(words.regime_lines(found))

# %% [markdown]
# ## Risk against cost
#
# Every mark is a way to spend, scored on items it had not seen. Nothing lies below and left of the line. Look at where
# your plan (circled) lies, and at the mark after it on the line: that is what the next bit of risk would cost.

# %%
frontier = out.table(frames["frontier"], "panel/frontier")
out.figure(plot_own_frontier(frontier, chosen=found.policy), "panel/frontier")
# %% [markdown]
# ## What it saves
#
# Calls, cost and, if the file has a `price` column, money (in the unit of those prices), for 1,000 items, against
# calling every judge. Look at the interval, not only at the mean; then at the risks, which say what the saving costs. A plan beats one big table easily,
# since that has more patterns than there are rows; the stacks are the opponents that count.

# %%
say(words.saving_lines(out.table(frames["saving"], "panel/saving")))

# %% [markdown]
# ## Is the audit set large enough?
#
# Threshold and interval, side by side. If a gain is known to within three times the threshold, names of roles are
# guesses, however exact they look. Intervals shrink with the root of the rows: half the width takes four times the
# labels.

# %%
size = out.table(frames["audit_size"], "panel/audit_size")
say(words.audit_lines(found, roles, size))

# %% [markdown]
# ## Three exercises
#
# **1. The price of caution.** Raise `gain_threshold` from 0.005 to 0.02. Which calls go first, and what happens to the
# share of names that are settled? Guess before you run the cell.

# %%
strict = study(replace(settings, plan=replace(settings.plan, gain_threshold=0.02)))
strict_size = panel_frames(check, strict, priced=False)["audit_size"]
both = {"0.005": found, "0.02": strict}
saved = {name: saving(each, priced=False).set_index("measure")["plan"] for name, each in both.items()}
readable(pd.DataFrame(saved).reset_index())

# %%
readable(pd.concat([size.assign(run="first"), strict_size.assign(run="strict")]))

# %% [markdown]
# <details><summary>Solution</summary>
#
# Calls whose gain was just above 0.005 go; in the sample that is the second judge on every row, while the routed call
# of `coder` on `code` is far above any bar. The intervals change little, since they depend on the rows, but the bar
# moves away from zero, where most gains lie: more names are settled. A higher bar is thus not only cheaper but also
# surer, and here the risk does not even rise: what was bought below it was noise.
# </details>
#
# **2. Half the labels.** Plan on every second group. Do the calls stay the same? Which number above told you?

# %%
halves = [pool.rows(pool.groups % 2 == 0) for pool in panel.pools]
half = study(settings, halves)
calls = {"all labels": found.record.plan.calls(), "half of them": half.record.plan.calls()}
pd.DataFrame({name: pd.Series(sorted(map(" / ".join, each))) for name, each in calls.items()}).fillna("")

# %% [markdown]
# <details><summary>Solution</summary>
#
# In the sample `large` and `coder` are called both times, but with half the labels `coder` is called on every row: there
# is too little of each slice to route on. The overlap of plans made on different halves (the last line of the audit
# section) said so beforehand, without new labels: at 0.3, two honest audits of half this size share fewer than half of
# their calls. Calls that recur are the ones to trust; the others are bought with noise.
# </details>
#
# **3. A copy that nobody declared.** Add a copy of the first judge and plan again. Which numbers change, and which must
# not?

# %%
copied = [pool.with_copies([0]) for pool in panel.pools]
prices = np.append(panel.prices, panel.prices[0])
again = study_own_panel(copied, **given | {"prices": prices}, settings=settings)
two = {"as it was": found, "with a copy": again}
columns = ["every_judge", "plan", "saved"]
readable(pd.concat([saving(s, priced=False)[["measure", *columns]].assign(run=n) for n, s in two.items()]))

# %% [markdown]
# <details><summary>Solution</summary>
#
# Nothing changes in the plan: no call, no risk, no cost. Given the original, the copy tells nothing new, so its gain is
# exactly zero and it is never called. One big table does not change either, but a stack may: it weighs the copied
# verdict twice. What does change is the cost of calling every judge, which is why the *saving* grows: a saving against
# "everything" is only as honest as the list of judges it is counted from.
# </details>

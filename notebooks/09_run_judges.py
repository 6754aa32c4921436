# %% [markdown]
# # Running judges: ask a real model and read its whole answer
#
# *Rebuilds*: no table; a small judge at work, and what a run of your own takes on a GPU.
# *Needs*: nothing for the `simulated` profile, in which a stand-in answers by dice; for `local` a real model of 0.1 GB
# (`make demo-model`).
# *Takes*: seconds simulated; two minutes with the real model on two CPU cores.
#
# A [judge](glossary.md#judge) that answers "4" has said little. Its next-token probabilities say how sure it is of the
# 4, and what else it would have said. This notebook asks a judge about 40 answers, reads the probability of every label
# in one forward pass, and looks at what can go wrong on the way: [mass](glossary.md#mass-outside-the-labels) that falls
# on no label, verdicts that follow the order of the answers, scales that a judge does not use alike.
#
# Set [`profile`](glossary.md#profile) to `"local"` to meet SmolLM2, a model of 135 million parameters. It shows the
# mechanics, not quality: no one should choose an answer by it. The stand-in draws its probabilities from a hash of the
# prompt, so whatever order or agreement you see in the simulated profile is chance.

# %% tags=["parameters"]
profile = "simulated"
count = 40

# %%
import tempfile
from pathlib import Path

import pandas as pd

from judgekit.judges import demonstration as demo
from judgekit.judges.estimate import as_frame, describe, estimate, workload_of
from judgekit.judges.pool import read_pool
from judgekit.sources.local_run import recording
from judgekit.studies import read_outs

# %%
pd.set_option("display.precision", 4)
pd.set_option("display.max_colwidth", None)
pool = demo.demonstration_pool("cpu_demo", profile=profile)
pairs_pool = demo.demonstration_pool("cpu_demo_pairs", profile=profile)
answers, pairs = demo.example_items("answers", count), demo.example_items("pairs", count)

# %% [markdown]
# ## What the judge sees
#
# A [protocol](glossary.md#protocol) is the prompt, the scale, the [read-out](glossary.md#read-out) and the order, and
# its digest is part of the key of every output: change a word, and nothing that was recorded under the old one is
# reused. Look at the end of the prompt. The answer is made to open with "Score:", behind which a judge has little
# choice but to name a score.

# %%
protocol = pool.protocols[0]
print(protocol.messages(answers.to_dict("records")[0])[-1]["content"], protocol.prefill)
pd.DataFrame(
    [{"protocol": p.name, "labels": " ".join(p.labels), "digest": p.digest[:12]} for p in pool.protocols]
)

# %% [markdown]
# ## Before it starts
#
# An estimate comes first: calls, tokens, time and memory of each judge. Look at the memory; a pool that does not fit is
# better known now.

# %%
print(*describe(estimate(pool, workload_of(pool, answers))), sep="\n")

# %% [markdown]
# ## The run, twice
#
# Every output is stored as soon as its batch is done, so that a run which is killed loses one batch at most. The second
# run below finds all outputs there. Look at `reused`: it asks nothing again.

# %%
place = tempfile.TemporaryDirectory()
first = demo.run_demonstration(pool, answers, Path(place.name) / "answers")
second = demo.run_demonstration(pool, answers, Path(place.name) / "answers")
told = {"first run": first, "second run": second}
pd.DataFrame({name: {**r.outcomes[pool.judges[0].name], **r.reused} for name, r in told.items()})

# %% [markdown]
# ## Mass on the labels
#
# What a judge would have said besides a score is mass outside the labels. It is reported and never shared out: a
# distribution made of a tenth of the mass is a weak witness. Look at the protocol called *open*, the same prompt without
# "Score:" before the answer. With SmolLM2 about a tenth of the mass falls on labels there, and most of it behind the
# opening. (The stand-in always puts 0.8 there.)

# %%
run = recording(first.folder)
read_outs.label_mass(run.judgments)

# %% [markdown]
# ## Hard against soft
#
# The [hard](glossary.md#hard-score) score is the most probable label, the [soft](glossary.md#soft-score) score the
# expected one. Look at the levels: a small judge gives nearly every answer the same hard score, and its doubt, which
# the soft score keeps, is all that tells answers apart. Then look at the correlation with the label. Half of these
# answers are plainly wrong, so a good judge comes near 1; NaN stands where every answer got the same score.

# %%
read_outs.hard_against_soft(run.judgments, run.judges, run.labels)

# %% [markdown]
# ## 1-5 against 1-10
#
# The same judge on two scales. On the longer one, the label "10" begins like "1": for SmolLM2 it is two tokens, and the
# mass of "1" is counted without what goes on to "10". Look at whether both scales order the answers alike, and at where
# on each scale, from worst (0) to best (1), the judge puts them on average.

# %%
read_outs.range_against_range(run.judgments, run.judges, coarse="direct_1_5", fine="direct_1_10")

# %% [markdown]
# ## The order of two answers
#
# Every pair is asked about in both orders. Look at `flips`, the share of pairs for which the verdict stays with the
# place when the answers change places, and at `first`: a judge near 0 or 1 there has not read the answers. A pool treats
# the two orders as rows of one group, so that no split ever parts them.

# %%
asked = demo.run_demonstration(pairs_pool, pairs, Path(place.name) / "pairs")
orders = recording(asked.folder)
read_outs.position_flips(orders.judgments)

# %% [markdown]
# ## The same model, computed in other ways
#
# The tokens that all prompts share are computed once, and matrix products run at medium precision. Look at the largest
# difference that these shortcuts make to any probability; a thousandth moves no score. Four answers will do, since the
# plain way takes a second a prompt. Where vLLM is installed it answers too.
#
# Measured on 30 November 2026 on 2 CPU cores: on 200 prompts, half of them with "10" among the labels, vLLM and an HTTP
# server of vLLM agree with transformers to 0.001 (a test repeats this on a CPU build of vLLM). The runner, which stores
# every output, is as fast as its engine alone (measured in turn, 0.99 to 1.03 of it). Twenty sampled answers to one
# prompt of 395 tokens cost about 150 times as much as reading its distribution, since they compute the prompt twenty
# times and the reading shares its opening with its neighbours; an engine that keeps the prompt between samples narrows
# that.

# %%
demo.backend_agreement(pool, answers.head(4))

# %% [markdown]
# ## The same on a GPU
#
# Nothing changes but the pool file. `judgemoe` holds the compact pool of the paper: three models, one at a time on one GPU
# of 80 GB. Memory and time follow from the sizes in the file, at two fifths of the card's arithmetic. This cell runs no
# model; the GPU path itself has been tested on CPU builds only.

# %%
papers = read_pool("judgemoe")
print(".venv/bin/judgekit judge judgemoe ITEMS.jsonl\n")
print(f"{papers.workload.items:,} items on {papers.device.name}:")
print(*describe(estimate(papers)), sep="\n")

# %%
shown = ["judge", "calls", "prompt_tokens", "seconds", "memory_gib", "fits"]
as_frame(estimate(papers))[shown]

# %%
roles = read_pool("roles")
print(".venv/bin/judgekit judge roles PAIRS.jsonl\n")
print(*describe(estimate(roles)), sep="\n")

# %% [markdown]
# A run lies in `data/runs/`; the `local` profile reads the one that ended last, or the folder that `JUDGEKIT_RUN` names:
# `judgekit rebuild 04 --profile local`. Items with a `label` are all it asks for; a column `slice` says what may route.

# %%
place.cleanup()

# %% [markdown]
# ## Three exercises
#
# They need the real model: the stand-in answers any prompt by dice.
#
# **1. Other words.** The answer opens with "Score:", and most of the mass is on the labels. What if it opens with
# "I would give it a", or with "I would give it a score of"? Put the three in order before you ask.
#
# <details><summary>Solution</summary>
#
# ```python
# from dataclasses import replace
#
# openings = ["Score:", "I would give it a", "I would give it a score of"]
# asked_so = tuple(replace(protocol, name=opening, prefill=opening) for opening in openings)
# with tempfile.TemporaryDirectory() as folder:
#     again = demo.run_demonstration(replace(pool, protocols=asked_so), answers.head(12), Path(folder))
#     mass = read_outs.label_mass(recording(again.folder).judgments)
# mass
# ```
#
# SmolLM2 puts 0.67 of its mass on the labels behind "Score:", 0.69 behind "I would give it a score of" and 0.35 behind
# "I would give it a". After "a" many words fit, and "a 4" is one of them; after "score of" hardly anything but a number
# does. What counts is how few ways the sentence can go on, not how polite it is. (The stand-in has 0.8 everywhere.)
# What is read is scaled to sum to one in each case: without the column `mass` nobody would notice.
#
# </details>
#
# **2. The scale turned round.** Say in the prompt that 1 is the best and 5 the worst. What should happen to the soft
# scores of right and wrong answers, and what will happen with a judge of 135 million parameters?
#
# <details><summary>Solution</summary>
#
# ```python
# from dataclasses import replace
#
# template = protocol.template.replace("(worst)", "(the best)").replace("(best)", "(the worst)")
# both = (protocol, replace(protocol, name="turned", template=template))
# with tempfile.TemporaryDirectory() as folder:
#     again = demo.run_demonstration(replace(pool, protocols=both), answers.head(12), Path(folder))
#     found = recording(again.folder)
# soft = found.judgments.assign(soft=read_outs.soft_scores(found.judgments, "1 2 3 4 5"))
# soft = soft.pivot(index="item", columns="protocol", values="soft")
# label = found.labels.drop_duplicates("item").set_index("item")["label"]
# print(soft.corr("spearman").round(2))
# soft.groupby(label).mean().round(2)
# ```
#
# A judge that reads would change s into 6 - s, and the two columns would correlate at -1. For SmolLM2 it is +0.96: it
# goes on as if nothing had been said. Both means are 3.26 before and 3.16 after, for right answers as for wrong ones.
# What its soft score orders is the prompt's surface and not the answer's worth. Turning the scale is a test that needs
# no label: run it before you trust a correlation. (The stand-in's correlation is -0.34 here, by chance.)
#
# </details>
#
# **3. Both orders, averaged.** A judge that goes by the place can be averaged over the two orders, and the place drops
# out. What is left of its verdicts: is it right more often then, and how sure is it? No prompt is needed, only `orders`.
#
# <details><summary>Solution</summary>
#
# ```python
# pair = orders.judgments["item"].str.split("|").str[0]
# first = orders.judgments.assign(pair=pair).pivot(index="pair", columns="ordering", values="p_1")
# a_wins = pd.DataFrame({"a first": first["ab"], "b first": 1 - first["ba"]})
# a_wins["averaged"] = a_wins.mean(axis=1)
# label = orders.labels[orders.labels["item"].str.endswith("|ab")]["label"].to_numpy() == 1
# right = (a_wins > 0.5).eq(label, axis=0).mean()
# print(a_wins.corr().round(2))
# pd.DataFrame({"right": right, "from a half": (a_wins - 0.5).abs().mean()}).round(3)
# ```
#
# With SmolLM2 the two orders correlate at -0.96: what it says for the answer shown first, it says for either. A single
# order is 0.11 away from a half on average, the mean of both 0.013: nearly all it was sure of was the place. It is right
# on 9, 13 and 12 of the 20 pairs, and a coin would be right on 10, give or take two. Averaging removes the preference
# for a place; it cannot put judgment where there was none. That costs two calls a pair, which is why a pool counts both
# orders as one group and two calls. (The stand-in, without a preference for a place, is right on 6, 10 and 9.)
#
# </details>

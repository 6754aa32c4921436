import numpy as np
import pytest
from scipy.stats import spearmanr

from judgekit.benchmark import expected_scores
from judgekit.errors import InvalidInput
from judgekit.metrics import expected_calibration_error, spearman
from judgekit.sources.score_simulator import ScoreJudge, ScoreScenario, score_scenario, simulate_scores

FIVE = (1.0, 2.0, 3.0, 4.0, 5.0)
TEN = (*FIVE, 6.0, 7.0, 8.0, 9.0, 10.0)


def draw(judges, seed=0, **knobs):
    knobs = {"groups": 20_000, "rows_per_group": 1} | knobs
    return simulate_scores(ScoreScenario(judges, **knobs), rng=np.random.default_rng(seed))


def soft(drawn):
    return expected_scores(drawn.judgments.probs, drawn.judgments.support)


@pytest.mark.parametrize("support", [FIVE, TEN])
@pytest.mark.parametrize("skill", [0.3, 0.8])
def test_a_judge_that_knows_its_skill_is_calibrated(support, skill):
    drawn = draw({"a": ScoreJudge(skill)}, support=support)
    assert expected_calibration_error(soft(drawn)[:, 0], drawn.judgments.target) < 0.02 * len(support)
    # One rater's bucket is what the distribution is about: each bucket as often as announced.
    alone = draw({"a": ScoreJudge(skill)}, support=support, raters=1)
    share = (alone.judgments.target[:, None] == alone.judgments.support).mean(axis=0)
    assert np.allclose(alone.judgments.probs[:, 0].mean(axis=0), share, atol=0.012)
    assert np.allclose(alone.judgments.probs, alone.truth.calibrated, atol=1e-6)


def test_human_scores_have_the_declared_shares():
    shares = (0.05, 0.1, 0.2, 0.3, 0.35)
    drawn = draw({"a": ScoreJudge()}, marginal=shares, raters=1)
    assert np.allclose([(drawn.judgments.target == s).mean() for s in (1, 2, 3, 4, 5)], shares, atol=0.012)


def test_bias_moves_every_score_the_same_way_and_no_rank():
    plain, biased = (soft(draw({"a": ScoreJudge(0.6, bias=bias)}))[:, 0] for bias in (0.0, 0.5))
    assert (biased > plain).all()
    assert spearmanr(plain, biased)[0] > 0.999


def test_temperature_below_one_sharpens_and_above_one_flattens():
    sharp, plain, flat = (
        draw({"a": ScoreJudge(0.6, judge_temperature=temperature)}).judgments.probs.max(axis=2).mean()
        for temperature in (0.5, 1.0, 2.0)
    )
    assert sharp > plain + 0.05
    assert plain > flat + 0.05


def test_temperature_is_the_power_it_says():
    plain, sharp = (
        draw({"a": ScoreJudge(0.6, judge_temperature=t)}).judgments.probs[:, 0] for t in (1.0, 0.5)
    )
    squared = plain.astype(float) ** 2
    assert np.allclose(sharp, squared / squared.sum(axis=1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize(("shared", "family"), [(0.0, 0.0), (0.6, 0.0), (0.2, 0.5)])
def test_errors_correlate_as_declared(shared, family):
    judges = {
        name: ScoreJudge(0.0, claimed_skill=0.5, family=kind) for name, kind in zip("abc", "xxy", strict=True)
    }
    drawn = draw(judges, shared_error=shared, family_error=family)
    # With no skill a judge sees its noise alone, and the calibrated score is monotone in what it sees.
    ranks = np.corrcoef(np.argsort(np.argsort(soft(drawn), axis=0), axis=0).T)
    normal = 2 * np.sin(np.pi * ranks / 6)
    assert normal[0, 1] == pytest.approx(shared + family, abs=0.03)
    assert normal[0, 2] == pytest.approx(shared, abs=0.03)


def test_a_contaminating_judge_is_sure_and_wrong():
    drawn = draw({"good": ScoreJudge(0.7), "bad": ScoreJudge(0.0, claimed_skill=0.95)})
    top = drawn.judgments.probs.max(axis=2).mean(axis=0)
    assert top[1] > top[0]
    assert abs(spearman(soft(drawn)[:, 1], drawn.judgments.target)) < 0.03


def test_a_specialist_is_good_on_its_slice_alone():
    drawn = draw({"a": ScoreJudge({"one": 0.9, "two": 0.0})}, slices={"one": 0.3, "two": 0.7})
    inside = (drawn.judgments.items["slice"] == "one").to_numpy()
    assert inside.mean() == pytest.approx(0.3)
    score, target = soft(drawn)[:, 0], drawn.judgments.target
    assert spearman(score[inside], target[inside]) > 0.7
    assert np.ptp(score[~inside]) < 1e-5


def test_rows_of_a_group_share_quality():
    drawn = draw({"a": ScoreJudge()}, groups=5000, rows_per_group=2, group_quality=0.8)
    pairs = drawn.truth.quality.reshape(-1, 2)
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(0.8, abs=0.02)
    assert drawn.judgments.items["group"].nunique() == 5000


def test_no_judge_and_no_mean_of_judges_beats_what_all_of_them_saw():
    judges = {"a": ScoreJudge(0.6), "b": ScoreJudge(0.5), "c": ScoreJudge(-0.4, claimed_skill=0.4)}
    drawn = draw(judges)
    target, best = drawn.judgments.target, drawn.truth.best_pool
    others = np.column_stack([soft(drawn), soft(drawn).mean(axis=1)])
    losses = np.square(others - target[:, None]).mean(axis=0)
    assert np.square(best - target).mean() < losses.min()
    assert expected_calibration_error(best, target) < 0.05


def test_lost_outputs_are_missing_at_the_declared_rate():
    drawn = draw({"a": ScoreJudge(unparsed=0.2), "b": ScoreJudge()})
    assert drawn.judgments.missing.mean(axis=0) == pytest.approx([0.2, 0.0], abs=0.01)


def test_the_same_generator_draws_the_same_cell():
    one, other = (draw({"a": ScoreJudge()}, seed=3, groups=50).judgments.probs for _ in range(2))
    assert np.array_equal(one, other)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"judges": {}}, "judges"),
        ({"judges": {"a": {"skil": 1}}}, "knobs of ScoreJudge"),
        ({"judges": {"a": {}}, "group": 3}, "group_quality"),
        ({"judges": {"a": {"skill": 1.2}}}, "skill"),
        ({"judges": {"a": {"skill": {"x": 0.5}}}}, "skill"),
        ({"judges": {"a": {"claimed_skill": -0.1}}}, "claimed_skill"),
        ({"judges": {"a": {"judge_temperature": 0}}}, "judge_temperature"),
        ({"judges": {"a": {"unparsed": 1}}}, "unparsed"),
        ({"judges": {"a": {}}, "shared_error": 0.7, "family_error": 0.7}, "at most 1"),
        ({"judges": {"a": {}}, "marginal": [0.5, 0.5]}, "marginal"),
        ({"judges": {"a": {}}, "marginal": [0.1, 0.1, 0.1, 0.1, 0.1]}, "sum to 1"),
        ({"judges": {"a": {}}, "groups": 0}, "groups"),
        ({"judges": {"a": {}}, "rater_noise": 0}, "rater_noise"),
        ({"judges": {"a": {}}, "compact": ["b"]}, "compact"),
    ],
)
def test_knobs_that_make_no_sense_are_refused_by_name(entry, message):
    with pytest.raises(InvalidInput, match=message):
        score_scenario("sim_x_1_5", entry)

import pytest

from judgekit import compute
from judgekit.errors import InvalidInput


@pytest.mark.parametrize(("sizes", "published"), [((9, 12, 7), 26.5), ((9, 12, 7, 25), 50.2), ((37,), 35.1)])
def test_published_totals_follow_from_nominal_sizes(sizes, published):
    found = compute.pool_compute(sizes)
    assert round(found.petaflops, 1) == published
    assert found.judges == len(sizes)


def test_true_parameter_counts_do_not_fit_the_published_total():
    assert round(compute.pool_compute((9.24, 12.2, 7.6)).petaflops, 1) == 27.5


@pytest.mark.parametrize("sizes", [(), (9.0, float("nan")), (0,), (-1,)])
def test_sizes_that_are_not_positive_are_refused(sizes):
    with pytest.raises(InvalidInput, match="active_parameters"):
        compute.pool_compute(sizes)


def test_token_counts_that_are_not_positive_are_refused():
    with pytest.raises(InvalidInput, match="tokens"):
        compute.pool_compute((9,), tokens=0)

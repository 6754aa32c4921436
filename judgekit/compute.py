"""What a pool costs to run: the operations proxy of JudgeMoE's compute note."""

from collections.abc import Sequence
from dataclasses import dataclass

from judgekit.errors import InvalidInput

# The note's count for 1,000 SummEval items at 1-5, taken as the same for every judge (inferred from its
# totals).
PUBLISHED_TOKENS = 474_000.0


@dataclass(frozen=True)
class PoolCompute:
    """Operations of one pass of a pool.

    Attributes
    ----------
    petaflops : float
        `2 N n / 1e15`, N active parameters in all, n tokens a judge.
    active_parameters : float
        N, in billions.
    tokens : float
        n.
    judges : int
        Judges counted.
    """

    petaflops: float
    active_parameters: float
    tokens: float
    judges: int


def pool_compute(
    active_parameters: Sequence[float | int], *, tokens: float | int = PUBLISHED_TOKENS
) -> PoolCompute:
    """Operations to run every judge once over the same tokens, in PFLOPs: `2 N n / 1e15`.

    Parameters
    ----------
    active_parameters : sequence [judges]
        Billions of parameters active per token; of a mixture-of-experts judge only those.
    tokens : float
        Tokens each judge reads, over all items.

    Raises
    ------
    InvalidInput
        On a size or a token count that is not a positive number (an unknown size is NaN: leave that judge
        out and say so).

    Examples
    --------
    >>> round(pool_compute([9, 12, 7]).petaflops, 1)
    26.5
    """
    sizes = [float(size) for size in active_parameters]
    if not sizes or not all(0 < size < float("inf") for size in sizes):
        raise InvalidInput("active_parameters", "positive numbers, in billions", sizes)
    if not 0 < tokens < float("inf"):
        raise InvalidInput("tokens", "a positive number", tokens)
    billions = sum(sizes)
    return PoolCompute(2 * billions * 1e9 * tokens / 1e15, billions, float(tokens), len(sizes))

"""How numbers are shown: to the printed digits, with a true minus sign and a sign on every difference."""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

ABSENT = "–"
_MINUS = "\u2212"


def rounded(value: float, digits: int) -> Decimal | None:
    """A value to `digits` decimals, half to even; None for NaN and infinities.

    Examples
    --------
    >>> rounded(0.121243, 4)
    Decimal('0.1212')
    """
    if not math.isfinite(value):
        return None
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN)


def shown(value: float | Decimal | None, digits: int) -> str:
    """A number as text with `digits` decimals; an en dash where there is none.

    Examples
    --------
    >>> shown(2.9, 2), shown(float("nan"), 4), shown(-0.00004, 4)
    ('2.90', '–', '0.0000')
    """
    number = None if value is None else rounded(float(value), digits)
    if number is None:
        return ABSENT
    return str(abs(number)) if number == 0 else str(number).replace("-", _MINUS)


def difference(rebuilt: float, printed: float, digits: int) -> Decimal | None:
    """Rebuilt minus printed, both at the printed digits; None where either is absent.

    Rounding first makes the shown difference the difference of the numbers shown.

    Examples
    --------
    >>> difference(0.121243, 0.2180, 4)
    Decimal('-0.0968')
    """
    left, right = rounded(rebuilt, digits), rounded(printed, digits)
    return None if left is None or right is None else left - right


def signed(number: Decimal | None) -> str:
    """A difference with its sign always shown; zero carries none.

    Examples
    --------
    >>> signed(Decimal("0.0012")), signed(Decimal("0.00"))
    ('+0.0012', '0.00')
    """
    if number is None:
        return ABSENT
    if number == 0:
        return str(abs(number))
    return f"+{number}" if number > 0 else f"{_MINUS}{abs(number)}"


def order(left: float, right: float, digits: int) -> str:
    """How `left` stands to `right` at the given digits: "lower", "equal" or "higher"; "" where one is absent.

    Examples
    --------
    >>> order(0.1094, 0.1183, 4), order(0.23211, 0.23209, 4)
    ('lower', 'equal')
    """
    gap = difference(left, right, digits)
    if gap is None:
        return ""
    return "equal" if gap == 0 else ("lower" if gap < 0 else "higher")


def plain_digits(values: Sequence[float | int]) -> int:
    """Decimals for a column the paper does not print: none where all values are whole, else four."""
    finite = [value for value in values if math.isfinite(value)]
    return 0 if finite and all(float(value).is_integer() for value in finite) else 4


def counted(number: int, noun: str) -> str:
    """Number and noun, with thousands apart.

    Examples
    --------
    >>> counted(1, "table"), counted(1200, "item")
    ('1 table', '1,200 items')
    """
    return f"{number:,} {noun if number == 1 else noun + 's'}"

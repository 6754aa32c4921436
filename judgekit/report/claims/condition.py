"""Conditions of claims, read through a whitelist of expressions and evaluated without `eval`."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from judgekit.errors import InvalidInput
from judgekit.report.format import rounded

Value = float | int | bool | str

LONGEST = 500
_ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_ORDERS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_EQUALITIES: dict[type, Callable[[Any, Any], bool]] = {ast.Eq: operator.eq, ast.NotEq: operator.ne}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"abs": abs, "min": min, "max": max, "round": round}
_ALLOWED = "names, numbers, words in quotes, comparisons, and, or, not, + - * /, abs, min, max, round"


@dataclass(frozen=True)
class Condition:
    """An expression in the language of `holds_when`.

    Attributes
    ----------
    text : str
        The expression, checked against the whitelist when the condition is made.

    Raises
    ------
    InvalidInput
        The text is no such expression.

    Examples
    --------
    >>> Condition("role_risk < flat_risk").holds({"role_risk": 0.1, "flat_risk": 0.2})
    True
    """

    text: str

    def __post_init__(self) -> None:
        _check(self.text, self._tree)
        if not isinstance(self._tree, ast.Compare | ast.BoolOp | ast.UnaryOp):
            raise InvalidInput("condition", "a comparison", self.text)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Variables in order of first use."""
        nodes = [node for node in ast.walk(self._tree) if isinstance(node, ast.Name)]
        nodes.sort(key=lambda node: (node.lineno, node.col_offset))
        return tuple(dict.fromkeys(node.id for node in nodes if node.id not in _FUNCTIONS))

    def holds(self, values: Mapping[str, Value], digits: Mapping[str, int] | None = None) -> bool | None:
        """Whether the condition is true; None where a value it names is missing (NaN) or divides by zero.

        Parameters
        ----------
        values : mapping
            A value for each name.
        digits : mapping, optional
            Decimals at which a name is compared with == and !=; full precision where not given.

        Raises
        ------
        InvalidInput
            A name has no value, or values of two kinds are compared.
        """
        if absent := [name for name in self.names if name not in values]:
            raise InvalidInput("condition", f"values for {', '.join(self.names)}", f"none for {absent}")
        used = [values[name] for name in self.names]
        if any(isinstance(value, float) and math.isnan(value) for value in used):
            return None
        try:
            return bool(_value(self._tree, values, digits or {}))
        except ZeroDivisionError:
            return None
        except TypeError as error:
            raise InvalidInput("condition", "values of one kind on both sides", self.text) from error

    @cached_property
    def _tree(self) -> ast.expr:
        if not isinstance(self.text, str) or not 0 < len(self.text) <= LONGEST:
            raise InvalidInput("condition", f"text of 1 to {LONGEST} characters", str(self.text)[:60])
        try:
            return ast.parse(self.text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise InvalidInput("condition", f"an expression of {_ALLOWED}", self.text) from error


def _check(text: str, node: ast.AST) -> None:
    match node:
        case ast.BoolOp(values=parts):
            pass
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=inner):
            parts = [inner]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            parts = [left, right]
        case ast.Compare(left=left, ops=ops, comparators=others) if all(
            type(op) in _ORDERS or type(op) in _EQUALITIES for op in ops
        ):
            parts = [left, *others]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
            parts = list(args)
        case ast.Name(id=name) if name not in _FUNCTIONS and not name.startswith("_"):
            parts = []
        case ast.Constant(value=bool() | int() | float() | str()):
            parts = []
        case _:
            given = f"{ast.unparse(node)[:60]!r} in {text[:80]!r}"
            raise InvalidInput("condition", _ALLOWED, given)
    for part in parts:
        _check(text, part)


def _value(node: ast.expr, values: Mapping[str, Value], digits: Mapping[str, int]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return values[name]
        case ast.BoolOp(op=op, values=parts):
            found = [bool(_value(part, values, digits)) for part in parts]
            return all(found) if isinstance(op, ast.And) else any(found)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return not _value(inner, values, digits)
        case ast.UnaryOp(operand=inner):
            return -_value(inner, values, digits)
        case ast.BinOp(left=left, op=op, right=right):
            return _ARITHMETIC[type(op)](_value(left, values, digits), _value(right, values, digits))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _FUNCTIONS[name](*(_value(argument, values, digits) for argument in args))
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [left, *others]
            return all(
                _compared(op, sides[place], sides[place + 1], values, digits) for place, op in enumerate(ops)
            )
    raise InvalidInput("condition", _ALLOWED, ast.unparse(node))


def _compared(
    op: ast.cmpop, left: ast.expr, right: ast.expr, values: Mapping[str, Value], digits: Mapping[str, int]
) -> bool:
    """One comparison; equality at the printed digits where a side is a name that has some."""
    first, second = _value(left, values, digits), _value(right, values, digits)
    if type(op) in _ORDERS:
        return bool(_ORDERS[type(op)](first, second))
    printed = [digits[side.id] for side in (left, right) if isinstance(side, ast.Name) and side.id in digits]
    if printed and not isinstance(first, str) and not isinstance(second, str):
        first, second = (rounded(float(side), max(printed)) for side in (first, second))
    return bool(_EQUALITIES[type(op)](first, second))

"""Pickles that may hold plain Python values and nothing else: no class, no function, so no code can run."""

import io
import pickle

from judgekit.errors import InvalidInput


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"names {module}.{name}")


def read_plain_pickle(raw: bytes, field: str) -> object:
    """Value of a pickle made of dicts, lists, tuples, sets, strings, bytes, numbers, booleans and None.

    Parameters
    ----------
    raw : bytes
        The pickle.
    field : str
        What to call it in an error.

    Raises
    ------
    InvalidInput
        The pickle names a class or function, whatever it is, or is not a whole pickle.

    Examples
    --------
    >>> read_plain_pickle(pickle.dumps({"a": [1.5, None]}), "example.pkl")
    {'a': [1.5, None]}
    """
    try:
        return _PlainUnpickler(io.BytesIO(raw)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, IndexError, KeyError, AttributeError) as error:
        raise InvalidInput(field, "a pickle of plain values", error or "a truncated pickle") from error

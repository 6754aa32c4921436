import os
import pickle

import pytest

from judgekit.errors import InvalidInput
from judgekit.sources.plain_pickle import read_plain_pickle


class Malicious:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_plain_values_come_back():
    value = {"a": [1, 2.5, None, True], "b": ({"c": b"d"}, {"e", "f"})}
    assert read_plain_pickle(pickle.dumps(value), "x.pkl") == value


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_that_would_run_code_is_refused(tmp_path, protocol):
    target = tmp_path / "made"
    with pytest.raises(InvalidInput, match=r"x\.pkl: allowed is a pickle of plain values; .*mkdir"):
        read_plain_pickle(pickle.dumps({"a": Malicious(target)}, protocol), "x.pkl")
    assert not target.exists()


def test_builtin_function_is_refused():
    with pytest.raises(InvalidInput, match="eval"):
        read_plain_pickle(pickle.dumps(eval), "x.pkl")


@pytest.mark.parametrize("raw", [b"", b"not a pickle", pickle.dumps({"a": 1})[:-4]])
def test_broken_pickle_is_refused(raw):
    with pytest.raises(InvalidInput, match="a pickle of plain values"):
        read_plain_pickle(raw, "x.pkl")

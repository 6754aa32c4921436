import json
import subprocess
import sys

import pytest

from judgekit.batch.lock import HOLDER, only_batch
from judgekit.errors import JudgekitError

HOLD = (
    "import sys; from pathlib import Path; from judgekit.batch.lock import only_batch\n"
    "with only_batch(Path(sys.argv[1])):\n"
    "    print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def holder(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_second_batch_says_who_holds_the_reports(tmp_path, holder):
    with (
        pytest.raises(JudgekitError, match=f"process {holder.pid}, since .* UTC") as error,
        only_batch(tmp_path),
    ):
        pytest.fail("two batches at once")
    assert "\n" not in str(error.value)


def test_lock_of_a_killed_batch_is_free(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert json.loads((tmp_path / HOLDER).read_text())["pid"] == holder.pid
    with only_batch(tmp_path):
        assert json.loads((tmp_path / HOLDER).read_text())["pid"] != holder.pid
    assert not (tmp_path / HOLDER).exists()


def test_lock_is_free_after_a_batch_that_raised(tmp_path):
    with pytest.raises(RuntimeError), only_batch(tmp_path):
        raise RuntimeError
    with only_batch(tmp_path):
        assert (tmp_path / HOLDER).exists()


def test_holder_that_says_nothing_is_still_one_line(tmp_path, holder):
    for content in ("", '{"pid": 999999999, "since": "now"}', "[]"):
        (tmp_path / HOLDER).write_text(content)
        with pytest.raises(JudgekitError, match="try again in a moment"), only_batch(tmp_path):
            pytest.fail("two batches at once")


def test_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(JudgekitError, match="cannot be written"), only_batch(tmp_path / "file" / "reports"):
        pytest.fail("locked a file's inside")

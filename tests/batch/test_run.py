"""Worker processes that are ended: in time, on request, or because the batch itself was killed."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

from judgekit.batch.profiles import Entry
from judgekit.batch.publish import recover
from judgekit.batch.run import Workers, fault_of_outputs
from judgekit.batch.tasks import Request, plan

DEADLINE = 120.0
WAITS = (
    "from pathlib import Path; import os, subprocess, sys, time\n"
    "place = Path(os.environ['JUDGEKIT_OUTPUT']) / 'tables' / 'a.csv'\n"
    "place.parent.mkdir(parents=True); place.write_text('a\\n9\\n')\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    "(Path({0!r}) / 'pids').write_text(f'{{os.getpid()}} {{child.pid}}')",
    "time.sleep(600)",
)
BATCH = (
    "import sys; from pathlib import Path; from judgekit.batch.layout import Layout\n"
    "from judgekit.batch.rebuild import rebuild; from judgekit.batch.tasks import Request\n"
    "root, folder = map(Path, sys.argv[1:])\n"
    "layout = Layout(root, folder / 'notebooks', folder / 'nbconfig', folder / 'reports')\n"
    "rebuild(Request(), layout, say=print)"
)


def alive(pid):
    # A child that has ended but that nobody waits for still has a number; it is dead all the same.
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        if os.path.exists("/proc/self/stat"):
            return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def wait_until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def pids_of(desk):
    wait_until(lambda: (desk.folder / "pids").exists() and " " in (desk.folder / "pids").read_text())
    return [int(pid) for pid in (desk.folder / "pids").read_text().split()]


def sleeping(desk):
    desk.notebook("01_a", *(cell.format(str(desk.folder)) for cell in WAITS), tables=["a"])
    earlier = desk.layout.target("simulated") / "tables" / "a.csv"
    earlier.parent.mkdir(parents=True)
    earlier.write_text("a\n1\n")
    return earlier


def test_notebook_out_of_time_fails_and_says_so(desk):
    earlier = sleeping(desk)
    assert desk.failure(timeout=0.5).startswith("not finished after 0.5 s (--timeout)")
    assert earlier.read_text() == "a\n1\n"


def test_stopping_ends_worker_kernel_and_what_the_kernel_started(desk):
    sleeping(desk)
    (task,) = plan(Request(), desk.layout)
    workers, ran = Workers(), []

    def run():
        ran.append(
            workers.run(task.entry, task.given, staging=task.staging, layout=desk.layout, timeout=600.0)
        )

    thread = threading.Thread(target=run)
    thread.start()
    pids = pids_of(desk)
    assert all(map(alive, pids))
    workers.stop()
    thread.join(DEADLINE)
    assert ran[0].problem.startswith("its process ended early")
    wait_until(lambda: not any(map(alive, pids)))
    again = workers.run(task.entry, task.given, staging=task.staging, layout=desk.layout, timeout=600.0)
    assert again.problem == "stopped before it began"


def test_killed_batch_leaves_earlier_results_and_no_process(desk):
    earlier = sleeping(desk)
    command = [sys.executable, "-c", BATCH, str(desk.layout.root), str(desk.folder)]
    environment = {**os.environ, "PYTHONPATH": str(desk.layout.root)}
    batch = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    pids = pids_of(desk)
    assert alive(batch.pid)
    batch.send_signal(signal.SIGKILL)
    batch.wait()
    wait_until(lambda: not any(map(alive, pids)))
    assert earlier.read_text() == "a\n1\n"
    assert recover(desk.layout) == []
    assert list((desk.layout.reports / ".staging").iterdir()) == []
    assert plan(Request(), desk.layout)[0].reasons == ("it has not been run on this machine",)


def test_outputs_are_held_against_what_is_declared(tmp_path):
    entry = Entry("simulated", "01_a", tables=("a",), figures=("b",))
    for name in ("notebooks/01_a.ipynb", "notebooks/01_a.html", "tables/a.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert fault_of_outputs(tmp_path, entry) == "declared in profiles.yaml but not written: figures/b.svg"
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "b.svg").touch()
    assert fault_of_outputs(tmp_path, entry) is None
    (tmp_path / "tables" / ".a.csv.unfinished").touch()
    found = fault_of_outputs(tmp_path, entry)
    assert found == "written but not declared in profiles.yaml: tables/.a.csv.unfinished"

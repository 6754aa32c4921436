"""The kernel a notebook runs on: this environment's interpreter, in surroundings that do not vary."""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from judgekit.errors import JudgekitError
from judgekit.sources.cache import cache_folder

# Sums in another order differ in their last digits: one thread a kernel; `--jobs` uses the other cores.
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_REPLY_MILLISECONDS = 2000
_UNWANTED = ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONWARNINGS", "IPYTHONDIR", "JPY_PARENT_PID")


def require_ipykernel() -> None:
    """Raise JudgekitError where this environment has no kernel to run notebooks on."""
    if importlib.util.find_spec("ipykernel") is None:
        raise JudgekitError(
            f"ipykernel: not installed for {sys.executable}, so no notebook can run; install it with: "
            f"{sys.executable} -m pip install ipykernel"
        )


def surroundings(*, root: Path, nbconfig: Path, results: Path, scratch: Path) -> dict[str, str]:
    """Environment variables of a notebook's kernel, the caller's own where they cannot move a result.

    Parameters
    ----------
    root : Path
        Folder that holds the package, put first on the import path.
    nbconfig : Path
        Folder of ``matplotlibrc``.
    results : Path
        Folder that receives the notebook's outputs.
    scratch : Path
        Folder for IPython's own files, so that a personal profile or start-up file has no say.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    if kept.pop("PYTHONDONTWRITEBYTECODE", ""):
        # Compiled anew in each worker and kernel, the modules of a notebook take seconds. A caller who wants
        # none compiled beside their sources gets them in the cache folder.
        kept.setdefault("PYTHONPYCACHEPREFIX", str(cache_folder() / "bytecode"))
    path = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **kept,
        **dict.fromkeys(_ONE_THREAD, "1"),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "TZ": "UTC",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MATPLOTLIBRC": str(nbconfig),
        "IPYTHONDIR": str(scratch),
        "JUDGEKIT_OUTPUT": str(results),
        "TQDM_DISABLE": "1",
    }


class Kernel(AsyncKernelManager):
    """Starts this interpreter whatever kernel a notebook names, and remembers how the process ended."""

    started: ClassVar[list["Kernel"]] = []

    process: subprocess.Popen[bytes] | None = None
    asked_to_stop = False
    agreed_to_stop = False
    was_forced = False

    @property
    def kernel_spec(self) -> KernelSpec:
        """Command of the kernel: the running interpreter and the ipykernel installed for it."""
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="Python 3", language="python")

    def kill(self) -> None:
        """End the kernel and every process it started, at once."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def fault(self) -> str | None:
        """How the process ended other than as asked, in words; None where it ended well.

        A kernel that outlives the request to stop by seconds is ended by force: its notebook was complete. So
        was that of a kernel which agreed to stop and was then ended by a signal: on a busy machine one
        interpreter in some hundreds aborts while it takes itself apart. An exit code is the notebook's doing.
        """
        if self.was_forced:
            return None
        if not self.asked_to_stop:
            return f"the kernel died after the last cell ({self.ending})"
        code = None if self.process is None else self.process.poll()
        if not code or (code < 0 and self.agreed_to_stop):
            return None
        return f"the kernel died after the last cell, while stopping ({self.ending})"

    @property
    def ending(self) -> str:
        """Exit code or signal of the process, in words."""
        code = None if self.process is None else self.process.poll()
        if code is None:
            return "it has not ended"
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    async def _async_post_start_kernel(self, **kw: Any) -> None:
        await super()._async_post_start_kernel(**kw)
        self.process = getattr(self.provisioner, "process", None)
        Kernel.started.append(self)

    async def _async_interrupt_kernel(self) -> None:
        # A shutdown interrupts first; an idle kernel gains nothing from that but a stray KeyboardInterrupt.
        if not self.shutting_down:
            await super()._async_interrupt_kernel()

    async def _async_request_shutdown(self, restart: bool = False) -> None:
        self.asked_to_stop = await self._async_is_alive()
        await super()._async_request_shutdown(restart)
        if self.asked_to_stop:
            self.agreed_to_stop = bool(await self._control_socket.poll(_REPLY_MILLISECONDS))

    async def _async_send_kernel_sigterm(self, restart: bool = False) -> None:
        self.was_forced = True
        await super()._async_send_kernel_sigterm(restart)

    async def _async_kill_kernel(self, restart: bool = False) -> None:
        self.was_forced = True
        await super()._async_kill_kernel(restart)

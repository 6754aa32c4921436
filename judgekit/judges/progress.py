"""Progress of long runs with the time left: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from typing import Any

from judgekit.judges.estimate import duration

SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Outputs done of a known total.

    Parameters
    ----------
    label : str
        Judge and protocol.
    total : int
        Outputs to come.
    """

    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done = label, total, 0
        self.stream = sys.stderr
        self.started = self.last = time.monotonic()
        self._bar: Any = None
        if self.stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=total, desc=label, file=self.stream, unit="output")

    def add(self, outputs: int) -> None:
        """Count outputs done, and say so if it is time."""
        self.done += outputs
        if self._bar is not None:
            self._bar.update(outputs)
            return
        now = time.monotonic()
        if now - self.last >= SECONDS_BETWEEN_LINES or self.done == self.total:
            self.last = now
            print(self.line(now - self.started), file=self.stream, flush=True)

    def line(self, elapsed: float) -> str:
        """The plain line after some seconds."""
        left = elapsed / max(self.done, 1) * (self.total - self.done)
        ending = f"{duration(left)} left" if self.done < self.total else f"took {duration(elapsed)}"
        return f"{self.label}: {self.done} of {self.total}, {ending}"

    def close(self) -> None:
        """Leave the bar."""
        if self._bar is not None:
            self._bar.close()

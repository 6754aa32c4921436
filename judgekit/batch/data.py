"""Bringing the data that notebooks need, once for the whole batch, before any kernel asks for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from judgekit.batch.needs import BESIDE_DATA
from judgekit.errors import MissingData


@dataclass
class Shelf:
    """The recorded data sets asked for so far.

    Attributes
    ----------
    say : callable
        Takes each line of progress.
    absent : dict
        Why a data set cannot be had, by name.
    """

    say: Callable[[str], None]
    absent: dict[str, str] = field(default_factory=dict)
    _here: set[str] = field(default_factory=set)
    _offline: str = ""

    def bring(self, datasets: Sequence[str]) -> dict[str, str]:
        """Fetch and parse data sets; returns those that cannot be had, each with the reason in a line.

        Each reason is said when it is met. Once no server answers, the network is left alone: the wait of
        seconds, and its line, happen once a batch.
        """
        from judgekit.sources import recorded

        for dataset in datasets:
            if dataset in self._here or dataset in self.absent:
                continue
            if dataset in BESIDE_DATA:
                try:
                    BESIDE_DATA[dataset]()
                except MissingData as error:
                    self.absent[dataset] = str(error)
                continue
            if self._offline and not recorded.available(dataset):
                self.absent[dataset] = self._offline
                continue
            try:
                recorded.load(dataset, columns=["item"], progress=self.say)
            except MissingData as error:
                self.absent[dataset] = str(error)
                self.say(str(error))
                self._offline = str(error) if getattr(error, "offline", False) else ""
            else:
                self._here.add(dataset)
        return {dataset: self.absent[dataset] for dataset in datasets if dataset in self.absent}

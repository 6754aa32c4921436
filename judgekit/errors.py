"""The errors a reader meets: each says in one line which field, what is allowed and what was given."""


class JudgekitError(Exception):
    """Base of every error this package raises on purpose; the command line prints it without a traceback."""


class InvalidInput(JudgekitError, ValueError):
    """An argument, a file or a table that cannot be used as it is.

    Parameters
    ----------
    field : str
        Name of the argument, column or file at fault.
    allowed : str
        What would have been accepted, in words.
    given : object
        What was found; its `str` is shown, shortened to 120 characters.

    Examples
    --------
    >>> raise InvalidInput("gain_threshold", "a number >= 0", -1)
    Traceback (most recent call last):
        ...
    judgekit.errors.InvalidInput: gain_threshold: allowed is a number >= 0; given -1
    """

    def __init__(self, field: str, allowed: str, given: object) -> None:
        text = " ".join(str(given).split())
        shown = text if len(text) <= 120 else text[:117] + "..."
        self.field, self.allowed, self.given = field, allowed, given
        super().__init__(f"{field}: allowed is {allowed}; given {shown}")


class MissingData(JudgekitError):
    """Data that is not on this machine, with the command that brings it.

    Parameters
    ----------
    what : str
        The data set, run or file that is absent.
    command : str
        What to type.
    """

    def __init__(self, what: str, command: str) -> None:
        self.what = what
        self.command = command
        super().__init__(f"{what} is not here; run: {command}")

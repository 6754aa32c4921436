"""What a download says while it works: a bar on a terminal, plain lines otherwise."""

import sys

from tqdm import tqdm


def say(line: str) -> None:
    """Print one line on stderr, above a bar where there is one."""
    tqdm.write(line, file=sys.stderr)


def byte_bar(label: str, total: int | None) -> tqdm:
    """Progress bar over bytes, silent unless stderr is a terminal; `total` None = size not known."""
    return tqdm(
        desc=label, total=total, unit="B", unit_scale=True, disable=None, leave=False, file=sys.stderr
    )


def megabytes(count: int) -> str:
    """Size in MB (10^6 bytes), as shown to a reader.

    >>> megabytes(79_715_977)
    '79.7 MB'
    """
    return f"{count / 1e6:.1f} MB"

"""A finished run: outputs as Parquet, everything that explains them as JSON, both under one digest."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from judgekit.judges.asking import samples_of
from judgekit.judges.pool import Pool
from judgekit.judges.store import OTHER_FOLDER, Store
from judgekit.sources.cache import write_together
from judgekit.sources.local_run import ITEMS, OUTPUTS, RUN

_COLUMNS = {
    "item": "str",
    "judge": "str",
    "protocol": "str",
    "ordering": "str",
    "sample": "int64",
    "outcome": "str",
    "score": "float64",
    "mass": "float64",
    "unread": "float64",
    "method": "str",
    "answer": "str",
    "note": "str",
    "prompt_tokens": "int64",
    "completion_tokens": "int64",
    "calls": "int64",
    "seconds": "float64",
    "cost": "float64",
    "attempts": "int64",
}


def freeze(store: Store, pool: Pool, items: pd.DataFrame, revisions: Mapping[str, str]) -> str:
    """Write the outputs of `items` under the current revisions; returns the digest of the run.

    Rows are sorted, so that the same outputs give the same file. Outputs of other revisions, protocols or
    items stay in the store and out of the file.
    """
    frames = {OUTPUTS: _frame(store, pool, items, revisions), ITEMS: items}
    contents: dict[str, bytes] = {name: frame.to_parquet(index=False) for name, frame in frames.items()}
    protocols = {
        protocol.name: protocol.record() | {"digest": protocol.digest} for protocol in pool.protocols
    }
    record = {
        "pool": pool.record(),
        "protocols": protocols,
        "judges": {
            judge.name: {
                "revision": revisions[judge.name],
                "chat_template": store.fact(f"template.{revisions[judge.name]}") or "",
            }
            for judge in pool.judges
        },
        "spent": store.spent(),
        "interrupted_batches": store.interrupted()[0],
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    }
    text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    contents[RUN] = text.encode()
    whole = {store.folder / name: content for name, content in contents.items()}
    write_together(whole, instead=OTHER_FOLDER)
    return hashlib.sha256(contents[RUN]).hexdigest()


def _frame(store: Store, pool: Pool, items: pd.DataFrame, revisions: Mapping[str, str]) -> pd.DataFrame:
    records = [{str(key): value for key, value in row.items()} for row in items.to_dict("records")]
    rows = []
    for judge in pool.judges:
        for protocol in pool.asked(judge):
            named: dict[str, list[str]] = {}
            for record in records:
                named.setdefault(protocol.item_digest(record), []).append(str(record["item"]))
            for key, output, attempts in store.rows(judge.name, revisions[judge.name], protocol.digest):
                if key.ordering not in protocol.orders or key.sample not in samples_of(protocol):
                    continue
                for item in named.get(key.item_digest, ()):
                    own = {"item": item, "judge": judge.name, "protocol": protocol.name, "attempts": attempts}
                    probs = {f"p_{place}": value for place, value in enumerate(output.probs)}
                    own |= {"ordering": key.ordering, "sample": key.sample}
                    rows.append(asdict(output) | own | probs)
    width = max((len(protocol.labels) for protocol in pool.protocols), default=0)
    columns = [*_COLUMNS, *(f"p_{place}" for place in range(width))]
    frame = pd.DataFrame(rows, columns=columns)
    frame = frame.astype({name: _COLUMNS.get(name, "float64") for name in columns})
    keys = ["judge", "protocol", "item", "ordering", "sample"]
    return frame.sort_values(keys, kind="stable", ignore_index=True)

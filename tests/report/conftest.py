import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from judgekit.batch.manifest import BUILT, MANIFEST
from judgekit.batch.stamps import digest_of

WHEN = "2026-11-29T10:12:33+00:00"


def table03(rows: dict[str, tuple[float, ...]]) -> pd.DataFrame:
    """Rebuilt form of Table 3 with made-up risks and calls; accuracies and costs are placeholders."""
    columns = {
        "dataset": list(rows),
        "single_best_risk": [row[0] for row in rows.values()],
        "single_best_accuracy": 0.7,
        "flat_all_risk": [row[1] for row in rows.values()],
        "flat_all_accuracy": 0.7,
        "role_routed_risk": [row[2] for row in rows.values()],
        "role_routed_accuracy": 0.7,
        "role_routed_cost": 2.0,
        "role_routed_judges": [row[3] for row in rows.values()],
    }
    return pd.DataFrame(columns)


@pytest.fixture
def recorded_table03() -> pd.DataFrame:
    return table03(
        {
            "llmbar_gpt4": (0.121243, 0.140012, 0.100049, 2.5),
            "roscoe_gsm8k": (0.2, 0.19, 0.18, 2.0),
            "triviaqa": (0.1, 0.08, 0.09, 3.0),
        }
    )


@pytest.fixture
def simulated_table03() -> pd.DataFrame:
    return table03({"sim_llmbar7": (0.217777, 0.211111, 0.188888, 3.4)})


@pytest.fixture
def write_results(tmp_path) -> Callable[..., Path]:
    """Write one profile's tables as a rebuild does; `here` adds this machine's record and a page."""

    def write(
        profile: str,
        tables: dict[str, pd.DataFrame],
        *,
        here: bool = False,
        manifest: bool = True,
        study: str = "roles",
    ):
        folder = tmp_path / profile
        files = {}
        for name, frame in tables.items():
            path = folder / "tables" / study / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            frame.to_csv(path, index=False, float_format="%.6f", lineterminator="\n")
            files[f"tables/{study}/{name}.csv"] = digest_of(path)
        entry = {"when": WHEN, "data": {"llmbar": "1f" * 32}, "outputs": files}
        if manifest:
            (folder / MANIFEST).write_text(json.dumps({"notebooks": {"04_role_routing": entry}}))
        if here:
            page = folder / "notebooks" / "04_role_routing.html"
            page.parent.mkdir()
            page.write_text("<p>executed</p>")
            run = {"stamp": {"data": {"llmbar": "1f" * 32}}, "when": WHEN, "seconds": 2.0, "files": files}
            (folder / BUILT).write_text(json.dumps({"notebooks": {"04_role_routing": run}}))
        return tmp_path

    return write

"""The call plan as a JSON file: readable, sealed against edits by hand, and checked when it is read."""

import hashlib
import importlib.metadata
import itertools
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from judgekit.audit import AuditSet
from judgekit.errors import InvalidInput
from judgekit.plan import CallPlan
from judgekit.plan_content import AuditDigest, Content, PlanRecord, from_content, to_content
from judgekit.regime import Regime
from judgekit.roles import Roles

FORMAT = "judgekit call plan"
SCHEMA_VERSION = 1
FIELDS = (
    "format", "schema_version", "judgekit_version", "support", "judges", "signal", "slices", "panel",
    "routes", "settings", "tables", "roles", "regime", "validation_fallback", "notes", "audit", "digests",
    "seal",
)  # fmt: skip


def record_plan(
    audit: AuditSet,
    plan: CallPlan,
    *,
    support: Sequence[float] | None = None,
    slice_column: str | None = None,
    roles: Roles | None = None,
    regime: Regime | None = None,
) -> PlanRecord:
    """A plan with what an auditor needs beside it, ready to be saved or applied.

    Parameters
    ----------
    audit : AuditSet
        The rows it was made on; kept as a digest.
    plan : CallPlan
    support : sequence of float, optional
        Score of each bucket; 0, 1, ... by default.
    slice_column : str, optional
        Column of the items frame that a metadata signal reads.
    roles : Roles, optional
    regime : Regime, optional

    Raises
    ------
    InvalidInput
        A plan for other judges, roles of another plan, a support of another length, or a metadata signal
        whose column is not said.
    """
    pool = audit.pool
    scores = tuple(float(score) for score in (range(pool.levels) if support is None else support))
    if len(scores) != pool.levels or list(scores) != sorted(set(scores)):
        raise InvalidInput("support", f"{pool.levels} scores in increasing order", scores)
    if plan.judges != pool.judges:
        raise InvalidInput("judges", f"a plan for {list(pool.judges)}", list(plan.judges))
    if plan.slice_tables and plan.signal.kind == "metadata" and slice_column is None:
        raise InvalidInput("slice_column", "the column of the items frame that tells the slice", slice_column)
    if roles is not None and (
        tuple(each.judge for each in roles.judges) != plan.judges or roles.settings != plan.settings
    ):
        raise InvalidInput("roles", "roles of the same pool under the same settings", "others")
    return PlanRecord(plan, scores, slice_column, digest_audit(audit), roles, regime)


def digest_audit(audit: AuditSet) -> AuditDigest:
    """Name and sha256 of the labelled rows of a plan."""
    pool = audit.pool
    digest = hashlib.sha256()
    for part in (
        json.dumps([pool.judges, pool.slice_names, pool.groups.astype(str).tolist()]).encode(),
        pool.codes.astype("<i2").tobytes(),
        pool.target.astype("<f8").tobytes(),
        pool.slices.astype("<i8").tobytes(),
        audit.fit.astype("<i8").tobytes(),
        audit.validation.astype("<i8").tobytes(),
    ):
        digest.update(hashlib.sha256(part).digest())
    return AuditDigest(pool.name, len(pool.target), len(np.unique(pool.groups)), digest.hexdigest())


def save_plan(record: PlanRecord, path: str | Path) -> Path:
    """Write the record as JSON, replacing the file whole; returns the path."""
    path = Path(path)
    content: Content = {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "judgekit_version": _installed_version(),
        **to_content(record),
    }
    content["digests"] = dict(_digests(content))
    content["seal"] = _sha256(content["digests"])
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_text(
            json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
        )
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
    return path


def load_plan(path: str | Path) -> PlanRecord:
    """Read a plan that `save_plan` wrote.

    Raises
    ------
    InvalidInput
        No such file, no plan, a newer version, a field that is missing or altered; the field is named.
    """
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(path.name, "a JSON file written by save_plan", error) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidInput("format", FORMAT, content.get("format") if isinstance(content, dict) else content)
    _check_version(content)
    for name in (*FIELDS, *content):
        if (name in content) != (name in FIELDS):
            raise InvalidInput(
                name, "the fields of a plan", "missing" if name in FIELDS else "an unknown field"
            )
    _check_digests(content)
    try:
        return from_content(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(path.name, "a plan whose fields fit together", repr(error)) from error


def _check_version(content: Mapping[str, Any]) -> None:
    schema = content.get("schema_version")
    if type(schema) is not int or not 1 <= schema <= SCHEMA_VERSION:
        raise InvalidInput("schema_version", f"a whole number up to {SCHEMA_VERSION}", schema)
    written, installed = str(content.get("judgekit_version")), _installed_version()
    if not _parts(written):
        raise InvalidInput("judgekit_version", "a version such as 0.1.0", written)
    if installed != "0" and _parts(written) > _parts(installed):
        raise InvalidInput("judgekit_version", f"at most the installed {installed}", written)


def _check_digests(content: Mapping[str, Any]) -> None:
    sealed = content["digests"]
    if not isinstance(sealed, dict) or _sha256(sealed) != content["seal"]:
        raise InvalidInput("digests", "those the plan was saved with", "altered digests or seal")
    found = dict(_digests(content))
    for field in (*sealed, *found):
        if sealed.get(field) != found.get(field):
            given = "a field that was added" if field not in sealed else _shown(content, field)
            raise InvalidInput(field, "the value the plan was saved with", given)


def _digests(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Digest of every field, and of every entry of the fields that have names inside."""
    for name, value in content.items():
        if name in ("digests", "seal"):
            continue
        yield from _walk(name, value, depth=1 if name in ("roles", "tables") else 0)


def _walk(field: str, value: Any, *, depth: int) -> Iterator[tuple[str, str]]:
    if not isinstance(value, dict):
        yield field, _sha256(value)
        return
    # the order of the entries is part of the plan: judges are numbered by it
    yield f"{field} (entries)", _sha256(list(value))
    for key, inner in value.items():
        if depth:
            yield from _walk(f"{field}.{key}", inner, depth=depth - 1)
        else:
            yield f"{field}.{key}", _sha256(inner)


def _shown(content: Mapping[str, Any], field: str) -> Any:
    value: Any = content
    for key in field.removesuffix(" (entries)").split(".", 1):
        value = value.get(key, "nothing") if isinstance(value, dict) else value
    return value


def _sha256(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _installed_version() -> str:
    try:
        return importlib.metadata.version("judgekit-companion")
    except importlib.metadata.PackageNotFoundError:
        # a checkout that was never installed: there is nothing to compare with
        return "0"


def _parts(version: str) -> tuple[int, ...]:
    """Leading numbers of a version."""
    return tuple(int(number) for number in itertools.takewhile(str.isdigit, version.split(".")))

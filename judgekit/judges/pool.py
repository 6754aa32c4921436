"""Judge pools: YAML files that name the judges, what they are asked, and what they run on."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.fields import list_of, made, mapping_of, name_of, typed, whole_number
from judgekit.judges.protocol import Protocol
from judgekit.judges.protocol_entry import protocol_from
from judgekit.sources.recording import KINDS

BACKENDS = ("transformers", "vllm", "http", "fake")
POOLS = Path(__file__).resolve().parents[2] / "nbconfig" / "pools"
_SECRET = re.compile(r"api_?key|secret|password|authorization|bearer", re.IGNORECASE)
_ENVIRONMENT_NAME = re.compile(r"^[A-Z][A-Z0-9_]*$")


@dataclass(frozen=True)
class Size:
    """What memory and time follow from.

    Attributes
    ----------
    parameters, active_parameters : float
        Billions; `active_parameters` is what one token passes through (0 = all).
    layers, key_value_heads, head_dim : int
        Shape of the attention cache; 0 = unknown, as for a model behind an API.
    bytes_per_parameter : float
        4 for float32, 2 for bfloat16.
    """

    parameters: float = 0.0
    active_parameters: float = 0.0
    layers: int = 0
    key_value_heads: int = 0
    head_dim: int = 0
    bytes_per_parameter: float = 2.0


@dataclass(frozen=True)
class Price:
    """Cost of a call: `unit` in the papers' units, and currency per million tokens sent and made."""

    unit: float = 1.0
    prompt: float = 0.0
    completion: float = 0.0


@dataclass(frozen=True)
class Judge:
    """One judge of a pool.

    Attributes
    ----------
    name : str
        What tables call it; unique in the pool.
    backend : str
        `transformers`, `vllm`, `http` or `fake`.
    model : str
        Folder, hub name or the server's name of the model; `smollm2` is the demonstration model.
    family, kind : str
        As in the judges frame of `Judgments`.
    settings : mapping
        Fields of the backend's settings class.
    size : Size
        For estimates.
    price : Price
        For costs.
    protocols : tuple of str
        Names of the pool's protocols that this judge is asked; () = all.
    batch : int
        Prompts at a time: what a crash can lose.
    """

    name: str
    backend: str
    model: str
    family: str = ""
    kind: str = "llm"
    settings: Mapping[str, Any] = field(default_factory=dict)
    size: Size = field(default_factory=Size)
    price: Price = field(default_factory=Price)
    protocols: tuple[str, ...] = ()
    batch: int = 16


@dataclass(frozen=True)
class Device:
    """The machine an estimate is for: memory, dense teraflop/s, the share of it reached, speed of loading."""

    name: str = "unknown"
    memory_gib: float = 0.0
    teraflops: float = 0.0
    utilisation: float = 0.4
    load_gib_per_second: float = 1.0


@dataclass(frozen=True)
class Workload:
    """What an estimate assumes without items: their number, tokens of a prompt, and how many are shared."""

    items: int = 100
    prompt_tokens: int = 500
    shared_tokens: int = 0


@dataclass(frozen=True)
class Pool:
    """A pool of judges and the protocols they are asked.

    Attributes
    ----------
    name, about : str
        The file's name and its first sentence.
    judges : tuple of Judge
        In the order in which they run.
    protocols : tuple of Protocol
        What each is asked.
    device : Device
        For estimates.
    workload : Workload
        For estimates without items.
    """

    name: str
    judges: tuple[Judge, ...]
    protocols: tuple[Protocol, ...]
    about: str = ""
    device: Device = field(default_factory=Device)
    workload: Workload = field(default_factory=Workload)

    def __post_init__(self) -> None:
        for what, names in (("judges", self.judges), ("protocols", self.protocols)):
            found = [entry.name for entry in names]
            if not found or len(set(found)) < len(found):
                raise InvalidInput(what, "at least one, each name once", ", ".join(found) or "none")
        known = {protocol.name for protocol in self.protocols}
        for judge in self.judges:
            if set(judge.protocols) - known:
                raise InvalidInput(
                    f"judge {judge.name}.protocols", ", ".join(sorted(known)), ", ".join(judge.protocols)
                )

    def asked(self, judge: Judge) -> tuple[Protocol, ...]:
        """Protocols that one judge is asked."""
        return tuple(p for p in self.protocols if not judge.protocols or p.name in judge.protocols)

    def record(self) -> dict[str, Any]:
        """Everything as plain values, as stored with a run; a pool holds no secrets, only where they are."""
        return dataclasses.asdict(self)


def read_pool(path: Path | str) -> Pool:
    """Pool of a YAML file, or of the file of that name under nbconfig/pools/.

    Raises MissingData where there is no such file and InvalidInput, which names file and field, on an entry
    that is not known or of another type, a name given twice, or a key written into the file.
    """
    from judgekit.judges.loading import settings_kind

    file = Path(path)
    if not file.suffix:
        file = POOLS / f"{path}.yaml"
    if not file.is_file():
        raise MissingData(f"pool file {file.name}", "judgekit judge --help")
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    # A date such as 2026-02-31 is a ValueError, as is a byte that is not UTF-8.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidInput(file.name, "YAML", error) from error
    if not isinstance(content, dict):
        raise InvalidInput(file.name, "a mapping with judges and protocols", content or "nothing")
    with _named_within(f"{file.name} "):
        pool = pool_from(content, name=file.stem)
    for judge in pool.judges:
        with _named_within(f"{file.name} judge {judge.name}."):
            settings_of(settings_kind(judge.backend), judge)
    return pool


def pool_from(content: Mapping[str, Any], *, name: str) -> Pool:
    """Pool of a mapping as a pool file holds it; InvalidInput on a field that is unknown or wrong."""
    given = mapping_of(content, name, fields={"about", "device", "workload", "protocols", "judges"})
    return Pool(
        name,
        judges=tuple(
            _judge(entry, _place("judge", number, entry))
            for number, entry in enumerate(list_of(given.get("judges"), "judges", "judges, each a mapping"))
        ),
        protocols=tuple(
            _protocol(entry, _place("protocol", number, entry))
            for number, entry in enumerate(
                list_of(given.get("protocols"), "protocols", "protocols, each a mapping")
            )
        ),
        about=typed(given.get("about") or "", str, "about").strip(),
        device=made(Device, given.get("device"), "device"),
        workload=made(Workload, given.get("workload"), "workload"),
    )


def settings_of(kind: Any, judge: Judge) -> Any:
    """Backend settings of a judge, as the dataclass `kind`; InvalidInput on a field that is wrong."""
    return made(kind, judge.settings, "settings")


def _judge(entry: object, where: str) -> Judge:
    given = mapping_of(entry, where, fields={f.name for f in dataclasses.fields(Judge)})
    missing = {"name", "backend", "model"} - set(given)
    if missing:
        raise InvalidInput(where, "name, backend and model", f"no {', '.join(sorted(missing))}")
    plain = {key: name_of(given[key], f"{where}.{key}") for key in ("name", "backend", "model")}
    plain |= {key: typed(given[key], str, f"{where}.{key}") for key in ("family", "kind") if key in given}
    if plain["backend"] not in BACKENDS:
        raise InvalidInput(f"{where}.backend", ", ".join(BACKENDS), plain["backend"])
    if plain.get("kind", "llm") not in KINDS:
        raise InvalidInput(f"{where}.kind", ", ".join(KINDS), plain["kind"])
    batch = whole_number(given.get("batch", 16), f"{where}.batch")
    if batch < 1:
        raise InvalidInput(f"{where}.batch", "a whole number >= 1", batch)
    return Judge(
        **plain,
        settings=_settings(given.get("settings"), f"{where}.settings"),
        size=made(Size, given.get("size"), f"{where}.size"),
        price=made(Price, given.get("price"), f"{where}.price"),
        protocols=typed(given.get("protocols"), tuple[str, ...], f"{where}.protocols"),
        batch=batch,
    )


def _settings(content: object, where: str) -> dict[str, Any]:
    if content is not None and not isinstance(content, Mapping):
        raise InvalidInput(where, "a mapping of the backend's settings", "something else, not shown")
    settings = dict(content or {})
    for key, value in settings.items():
        typed(key, str, where)
        # A key pasted into a pool file would be committed and stored with every run.
        named = key.endswith("_env")
        if (_SECRET.search(key) and not named) or (named and not _ENVIRONMENT_NAME.match(str(value))):
            raise InvalidInput(f"{where}.{key}", "api_key_env, the name of a variable", "a value, not shown")
    return settings


def _protocol(entry: object, where: str) -> Protocol:
    try:
        return protocol_from(entry)
    except InvalidInput as error:
        # Its own errors speak of the protocol; here there are several.
        field = where + error.field.removeprefix("protocol")
        raise InvalidInput(field, error.allowed, error.given) from error


def _place(what: str, number: int, entry: object) -> str:
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return f"{what} {name}" if isinstance(name, str) and name.strip() else f"{what}s[{number}]"


@contextmanager
def _named_within(where: str) -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(where + error.field, error.allowed, error.given) from error

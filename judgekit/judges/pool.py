"""Judge pools: YAML files that name the judges, what they are asked, and what they run on."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from judgekit.errors import InvalidInput, MissingData
from judgekit.judges.protocol import Protocol, protocol_from

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
                raise InvalidInput(
                    f"{self.name}.{what}", "at least one, each name once", ", ".join(found) or "none"
                )
        known = {protocol.name for protocol in self.protocols}
        for judge in self.judges:
            if set(judge.protocols) - known:
                raise InvalidInput(
                    f"{judge.name}.protocols", ", ".join(sorted(known)), ", ".join(judge.protocols)
                )

    def asked(self, judge: Judge) -> tuple[Protocol, ...]:
        """Protocols that one judge is asked."""
        return tuple(p for p in self.protocols if not judge.protocols or p.name in judge.protocols)

    def record(self) -> dict[str, Any]:
        """Everything as plain values, as stored with a run; a pool holds no secrets, only where they are."""
        return dataclasses.asdict(self)


def read_pool(path: Path | str) -> Pool:
    """Pool of a YAML file, or of the file of that name under nbconfig/pools/.

    Raises MissingData where there is no such file and InvalidInput on an entry that is not known, a name
    given twice, or a key written into the file.
    """
    file = Path(path)
    if not file.suffix:
        file = POOLS / f"{path}.yaml"
    if not file.is_file():
        raise MissingData(f"pool file {file.name}", "judgekit judge --help")
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise InvalidInput(file.name, "YAML", error) from error
    if not isinstance(content, dict):
        raise InvalidInput(file.name, "a mapping with judges and protocols", content)
    return pool_from(content, name=file.stem)


def pool_from(content: Mapping[str, Any], *, name: str) -> Pool:
    """Pool of a mapping as a pool file holds it."""
    _known(content, {"about", "device", "workload", "protocols", "judges"}, name)
    return Pool(
        name,
        judges=tuple(_judge(entry) for entry in content.get("judges") or ()),
        protocols=tuple(protocol_from(entry) for entry in content.get("protocols") or ()),
        about=str(content.get("about", "")).strip(),
        device=_made(Device, content.get("device"), f"{name}.device"),
        workload=_made(Workload, content.get("workload"), f"{name}.workload"),
    )


def _judge(entry: Mapping[str, Any]) -> Judge:
    where = f"judge {entry.get('name', '?')}"
    _known(entry, {f.name for f in dataclasses.fields(Judge)}, where)
    missing = {"name", "backend", "model"} - set(entry)
    if missing:
        raise InvalidInput(where, "name, backend and model", f"no {', '.join(sorted(missing))}")
    given = dict(entry)
    if given["backend"] not in BACKENDS:
        raise InvalidInput(f"{where}.backend", ", ".join(BACKENDS), given["backend"])
    batch = given.get("batch", 16)
    if not isinstance(batch, int) or batch < 1:
        raise InvalidInput(f"{where}.batch", "a whole number >= 1", batch)
    settings = dict(given.get("settings") or {})
    for key, value in settings.items():
        # A key pasted into a pool file would be committed and stored with every run.
        named = key.endswith("_env")
        if (_SECRET.search(key) and not named) or (named and not _ENVIRONMENT_NAME.match(str(value))):
            raise InvalidInput(
                f"{where}.settings.{key}", "api_key_env, the name of a variable", "a value, not shown"
            )
    given["settings"] = settings
    given["size"] = _made(Size, given.get("size"), f"{where}.size")
    given["price"] = _made(Price, given.get("price"), f"{where}.price")
    given["protocols"] = tuple(given.get("protocols") or ())
    return Judge(**given)


def settings_of(kind: Any, judge: Judge) -> Any:
    """Backend settings of a judge, as the dataclass `kind`; InvalidInput on a field that is wrong."""
    return _made(kind, judge.settings, f"{judge.name}.settings")


def _made(kind: Any, content: Mapping[str, Any] | None, where: str) -> Any:
    known = {f.name: f for f in dataclasses.fields(kind)}
    given = dict(content or {})
    _known(given, set(known), where)
    for name, entry in known.items():
        if name not in given and entry.default is entry.default_factory is dataclasses.MISSING:
            raise InvalidInput(f"{where}.{name}", "a value", "nothing")
    return kind(**{name: _typed(value, known[name].type, f"{where}.{name}") for name, value in given.items()})


def _typed(value: Any, kind: Any, where: str) -> Any:
    if kind in (int, float):
        whole = kind is float or isinstance(value, int)
        if isinstance(value, bool) or not isinstance(value, int | float) or not whole or not value >= 0:
            raise InvalidInput(where, f"a {'whole ' if kind is int else ''}number >= 0", value)
        return kind(value)
    if kind is bool and not isinstance(value, bool):
        raise InvalidInput(where, "true or false", value)
    return value if kind is bool else str(value)


def _known(content: Mapping[str, Any], allowed: set[str], where: str) -> None:
    unknown = set(content) - allowed
    if unknown:
        raise InvalidInput(
            where, f"fields {', '.join(sorted(allowed))}", ", ".join(sorted(map(str, unknown)))
        )

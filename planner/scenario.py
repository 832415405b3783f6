"""A scenario: one customer-neutral case, read from TOML or a mapping, with every problem reported at once."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from dataclasses import fields as dataclass_fields
from datetime import date
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any

from planner.errors import Checker, InputProblems, Problem, collecting, shown
from planner.fields import Field, fields
from planner.hardware import BITS_PER_BYTE, Node, array, catalog

SCHEMA_VERSION = 1
FILE_BYTES_MAX = 1_000_000
TEXT_CHARACTERS_MAX = 200
CANDIDATES_COUNT_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An array to compare: ports and drives of one array, and the nodes that share it."""

    id: str
    ports_count: int
    drives_count: int
    nodes_per_array_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The served model and how its KV is stored."""

    id: str
    kv_dtype: str
    weight_dtype: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The GPU nodes."""

    node: str
    nodes_count: int
    tensor_parallel_count: int
    host_nic_gbit_per_s: float

    @property
    def node_record(self) -> Node:
        """Return the node of the catalog."""
        return catalog().nodes[self.node]

    @property
    def instances_per_node_count(self) -> int:
        """Return the engines on a node: its GPUs over the tensor parallel count."""
        return self.node_record.gpus_count // self.tensor_parallel_count

    @property
    def host_nic_bytes_per_s(self) -> float:
        """Return the line rate of a node's storage NIC in bytes/s."""
        return self.host_nic_gbit_per_s * 1e9 / BITS_PER_BYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What arrives: requests in flight on one node, their lengths, and the share of the prompt a tier can supply."""

    regime: str
    concurrency_count: int
    prompt_tokens: int
    output_tokens: int
    hit_fraction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What must be kept; a bound that is None is not promised."""

    ttft_s: float | None
    ttft_percentile: float
    tpot_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The baseline and the arrays to compare with it."""

    baseline: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyTerms:
    """Price book and terms of the comparison. None means not known (GPU cost) or not counted (network, local drive)."""

    book: str
    book_date: str
    horizon_years: int
    discount_fraction_per_year: float
    gpu_cny_per_hour: float | None
    cold_share_fraction: float
    released_use_fraction: float
    support_fraction_per_year: float
    array_power_w: float
    pue_ratio: float
    tariff_cny_per_kwh: float
    residual_fraction: float
    vat_fraction: float
    price_tax_basis: str
    network_cny_per_array_port: float | None
    local_drive_cny_per_node: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Ids of the datasets that the prediction is calibrated on."""

    datasets: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """All arguments of a case. ``given`` names the fields that the file or the user set; the others are defaults."""

    title: str
    model: ModelChoice
    cluster: Cluster
    workload: Workload
    promise: Promise
    storage: Storage
    money: MoneyTerms
    evidence: Evidence
    given: frozenset[str]

    def document(self) -> dict[str, Any]:
        """Return the scenario as JSON-ready values; ``load_scenario`` of it gives the same scenario.

        ``defaults`` lists the fields that nobody set, so that an assumption does not become an input on re-reading.
        """
        sections = {name: asdict(getattr(self, name)) for name in SECTIONS}
        sections["storage"]["candidates"] = [asdict(candidate) for candidate in self.storage.candidates]
        sections["evidence"]["datasets"] = list(self.evidence.datasets)
        head = {"schema": "scenario", "version": SCHEMA_VERSION, "title": self.title}
        return {**head, **sections, "defaults": sorted(fields().keys() - self.given)}

    def value(self, path: str) -> Any:
        """Return the value of a field by its dotted path."""
        section, _, name = path.partition(".")
        return getattr(getattr(self, section), name)


SECTIONS: Mapping[str, type[Any]] = {
    "model": ModelChoice,
    "cluster": Cluster,
    "workload": Workload,
    "promise": Promise,
    "storage": Storage,
    "money": MoneyTerms,
    "evidence": Evidence,
}


def _candidate(check: Checker, path: str, raw: object) -> Candidate | None:
    if not isinstance(raw, Mapping):
        check.add("not_a_table", path, raw, "a table with id, ports_count, drives_count and nodes_per_array_count")
        return None
    known = {f.name for f in dataclass_fields(Candidate)}
    _refuse_unknown(check, path, raw, known)
    name = check.choice(f"{path}.id", raw.get("id"), catalog().arrays)
    if name is None:
        return None
    record = array(name)
    bounds = {"ports_count": record.ports_count_max, "drives_count": record.bays_count, "nodes_per_array_count": 10_000}
    defaults = {"ports_count": 1, "drives_count": record.bays_count, "nodes_per_array_count": 1}
    numbers = {
        key: check.number(f"{path}.{key}", raw.get(key, defaults[key]), low=1, high=high, whole=True)
        for key, high in bounds.items()
    }
    if any(number is None for number in numbers.values()):
        return None
    return Candidate(id=name, **{key: int(number or 0) for key, number in numbers.items()})


def _candidates(check: Checker, path: str, raw: object) -> tuple[Candidate, ...] | None:
    if not isinstance(raw, (list, tuple)) or not 1 <= len(raw) <= CANDIDATES_COUNT_MAX:
        check.add("not_a_list", path, raw, f"a list of 1 to {CANDIDATES_COUNT_MAX} arrays")
        return None
    found = [_candidate(check, f"{path}[{index}]", item) for index, item in enumerate(raw)]
    return tuple(candidate for candidate in found if candidate is not None)


def _text(check: Checker, path: str, raw: object) -> str | None:
    if isinstance(raw, str) and 0 < len(raw.strip()) <= TEXT_CHARACTERS_MAX and "\0" not in raw:
        return raw.strip()
    check.add("not_a_text", path, raw, f"a text of 1 to {TEXT_CHARACTERS_MAX} characters")
    return None


def _date(check: Checker, path: str, raw: object) -> str | None:
    try:
        return raw.isoformat() if isinstance(raw, date) else date.fromisoformat(str(raw)).isoformat()
    except ValueError:
        check.add("not_a_date", path, raw, "a date written YYYY-MM-DD")
        return None


def _names(check: Checker, path: str, raw: object) -> tuple[str, ...] | None:
    if isinstance(raw, (list, tuple)) and raw and all(isinstance(name, str) and name for name in raw):
        return tuple(raw)
    check.add("not_a_list", path, raw, "a list of at least one name")
    return None


def _value(check: Checker, record: Field, raw: object) -> Any:
    if raw is None and record.optional:
        return None
    if record.kind in {"number", "whole"}:
        whole = record.kind == "whole"
        number = check.number(record.path, raw, low=record.low, high=record.high, hint=record.hint, whole=whole)
        return int(number) if whole and number is not None else number
    if record.kind == "choice":
        return check.choice(record.path, raw, record.allowed())
    readers = {"candidates": _candidates, "text": _text, "date": _date, "list": _names}
    return readers[record.kind](check, record.path, raw)


def _refuse_unknown(check: Checker, where: str, raw: Mapping[str, Any], known: set[str]) -> None:
    for key in raw:
        if key not in known:
            close = get_close_matches(str(key), known, n=1)
            hint = f"did you mean {close[0]}?" if close else "one of " + ", ".join(sorted(known))
            check.add("unknown_field", f"{where}.{key}" if where else str(key), raw[key], f"not a field; {hint}")


def _cross_check(check: Checker, values: Mapping[str, Any]) -> None:
    node = catalog().nodes.get(values.get("cluster.node") or "")
    parallel = values.get("cluster.tensor_parallel_count")
    if node and parallel and (parallel > node.gpus_count or node.gpus_count % parallel):
        hint = f"a divisor of the node's {node.gpus_count} GPUs"
        check.add("does_not_divide", "cluster.tensor_parallel_count", parallel, hint)


def _defaults(check: Checker, raw: object) -> frozenset[str]:
    """Read the paths of the fields that a written scenario had left at their defaults."""
    if not isinstance(raw, (list, tuple)) or len(raw) > len(fields()):
        check.add("not_a_list", "defaults", raw, "a list of the fields that were left at their defaults")
        return frozenset()
    names = [check.choice(f"defaults[{index}]", name, fields()) for index, name in enumerate(raw)]
    return frozenset(name for name in names if name)


def _read(raw: Mapping[str, Any], file: str) -> Scenario:
    values: dict[str, Any] = {}
    given: set[str] = set()
    with collecting(file) as check:
        _refuse_unknown(check, "", raw, {*SECTIONS, "schema", "version", "title", "defaults"})
        if raw.get("version", SCHEMA_VERSION) != SCHEMA_VERSION:
            check.add("version", "version", raw["version"], f"{SCHEMA_VERSION}, the only version of a scenario so far")
        title = _text(check, "title", raw.get("title", "Untitled case"))
        defaults = _defaults(check, raw.get("defaults", ()))
        for section in SECTIONS:
            table = raw.get(section, {})
            if not isinstance(table, Mapping):
                check.add("not_a_table", section, table, "a table of fields")
                continue
            members = [record for record in fields().values() if record.section == section]
            _refuse_unknown(check, section, table, {record.name for record in members})
            for record in members:
                value = _value(check, record, table.get(record.name, record.default))
                values[record.path] = value
                if record.name in table and not (
                    record.path in defaults and value == _value(check, record, record.default)
                ):
                    given.add(record.path)
        _cross_check(check, values)
    parts = {
        section: kind(**{f.name: values[f"{section}.{f.name}"] for f in dataclass_fields(kind)})
        for section, kind in SECTIONS.items()
    }
    return Scenario(title=title or "", given=frozenset(given), **parts)


def list_examples() -> tuple[str, ...]:
    """Return the names of the shipped example scenarios."""
    folder = files("planner").joinpath("catalog/examples")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def _parse(text: str, file: str) -> Mapping[str, Any]:
    """Read TOML, or the JSON object that the product writes itself."""
    try:
        parsed = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as error:
        hint = "a TOML file, or a scenario as JSON"
        raise InputProblems([Problem("not_toml", "file", shown(str(error)), hint, file)]) from error
    if parsed.get("schema") == "evaluation" and isinstance(parsed.get("inputs"), dict):
        return dict(parsed["inputs"])  # a result can be evaluated again as it is
    return dict(parsed)


def read_mapping(source: str | Path) -> Mapping[str, Any]:
    """Return the raw mapping of a scenario file or of a shipped example, without validating its fields.

    Raises
    ------
    InputProblems
        When there is no such file or example, or it is not TOML in UTF-8 of at most 1 MB.
    """
    name = str(source)
    if name in list_examples():
        return _parse(files("planner").joinpath(f"catalog/examples/{name}.toml").read_text("utf-8"), name)
    try:
        path = Path(source)
        if path.stat().st_size > FILE_BYTES_MAX:
            raise InputProblems([Problem("too_large", "file", shown(name), "a scenario file of at most 1 MB", name)])
        return _parse(path.read_text("utf-8-sig"), name)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, InputProblems):
            raise
        hint = "a readable TOML file in UTF-8, or one of the examples " + ", ".join(list_examples())
        raise InputProblems([Problem("unreadable", "file", shown(name), hint, name)]) from error


def load_scenario(source: str | Path | Mapping[str, Any]) -> Scenario:
    """Read and validate a scenario.

    Parameters
    ----------
    source : str, Path or mapping
        A TOML file, the name of a shipped example, or the parsed content.

    Raises
    ------
    InputProblems
        With every problem of the input at once: unknown fields, values out of bounds, missing choices.
    """
    if isinstance(source, Mapping):
        return _read(source, "")
    return _read(read_mapping(source), str(source))

"""JSON Schemas (draft 2020-12) of every document, derived from the values and tables that make them."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, is_dataclass
from dataclasses import fields as dataclass_fields
from decimal import Decimal
from enum import Enum
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from planner.evaluation import HIDDEN, Evaluation
from planner.fields import fields
from planner.money import Money
from planner.runs import Finding, Run
from planner.scenario import SCHEMA_VERSION, SECTIONS

Schema = dict[str, Any]
DRAFT = "https://json-schema.org/draft/2020-12/schema"
AMOUNT: Schema = {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}
MONEY: Schema = {
    "type": "object",
    "properties": {
        "amount": AMOUNT,
        "currency": {"type": "string"},
        "tax_basis": {"enum": ["incl", "excl", "unknown"]},
    },
    "required": ["amount", "currency", "tax_basis"],
}
SIMPLE: Mapping[Any, Schema] = MappingProxyType(
    {
        float: {"type": ["number", "null"]},
        int: {"type": "integer"},
        str: {"type": "string"},
        bool: {"type": "boolean"},
        Decimal: AMOUNT,
        Money: MONEY,
        Any: {},
    }
)


def of(kind: Any) -> Schema:
    """Return the schema of the JSON form of a type: dataclass, enum, union, mapping, tuple or plain."""
    if kind in SIMPLE:
        return dict(SIMPLE[kind])
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        rest = [of(argument) for argument in arguments if argument is not NoneType]
        return {"anyOf": [*rest, {"type": "null"}]} if NoneType in arguments else {"anyOf": rest}
    if origin in (tuple, list):
        return {"type": "array", "items": of(arguments[0])}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": of(arguments[1])}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        members = [member for member in dataclass_fields(kind) if member.name not in HIDDEN]
        return {
            "type": "object",
            "properties": {member.name: of(hints[member.name]) for member in members},
            "required": [
                member.name for member in members if member.default is MISSING and member.default_factory is MISSING
            ],
        }
    return {}


def _document(name: str, body: Schema) -> Schema:
    properties = {"schema": {"const": name}, "version": {"type": "integer"}, **body["properties"]}
    return {"type": "object", "properties": properties, "required": ["schema", "version", *body.get("required", ())]}


def _listing(name: str, **members: Schema) -> Schema:
    return _document(name, {"properties": members, "required": list(members)})


def _scenario() -> Schema:
    sections: dict[str, Schema] = {}
    for section in SECTIONS:
        members = {}
        for record in fields().values():
            if record.section != section:
                continue
            schema: Schema = {"description": record.help["en"], "x-unit": record.unit, "default": record.default}
            if record.kind in {"number", "whole"}:
                schema |= {
                    "type": "integer" if record.kind == "whole" else "number",
                    "minimum": record.low,
                    "maximum": record.high,
                }
            elif record.kind == "choice":
                schema |= {"enum": list(record.allowed())}
            elif record.kind in {"text", "date"}:
                schema |= {"type": "string"}
            else:
                schema |= {"type": "array"}
            members[record.name] = schema if not record.optional else {"anyOf": [schema, {"type": "null"}]}
        sections[section] = {"type": "object", "properties": members, "additionalProperties": False}
    head: Schema = {"title": {"type": "string"}, "defaults": {"type": "array", "items": {"enum": list(fields())}}}
    return {
        "type": "object",
        "properties": {"schema": {"const": "scenario"}, "version": {"const": SCHEMA_VERSION}, **head, **sections},
        "additionalProperties": False,
    }


def _kv() -> Schema:
    number: Schema = {"type": ["number", "null"]}
    text: Schema = {"type": ["string", "null"]}
    names = (
        "kv_bytes_per_token",
        "window_bytes_per_sequence",
        "state_bytes_per_sequence",
        "window_tokens",
        "stored_bytes_per_token",
    )
    numbers = dict.fromkeys((*names, "weights_bytes", "hbm_tokens", "max_context_tokens"), number)
    return _listing("kv", model=text, attention=text, formula=text, sources={"type": "array"}, **numbers)


def _backtest() -> Schema:
    number: Schema = {"type": "number"}
    row: Schema = {
        "type": "object",
        "properties": {
            "measured": number,
            "predicted": number,
            "error_fraction": number,
            "held_out": {"type": "boolean"},
        },
        "required": ["dataset", "point", "metric", "measured", "predicted", "error_fraction", "grade", "held_out"],
    }
    return _listing("backtest", rows={"type": "array", "items": row}, summary={"type": "object"})


def _import() -> Schema:
    error: Schema = {"type": "object", "required": ["file", "code", "message"]}
    runs, findings = {"type": "array", "items": of(Run)}, {"type": "array", "items": of(Finding)}
    return _listing("import", runs=runs, findings=findings, errors={"type": "array", "items": error})


def _quote() -> Schema:
    text: Schema = {"type": "string"}
    amount: Schema = {"anyOf": [AMOUNT, {"type": "null"}]}
    amounts = ("list_amount", "discount_amount", "offered_amount", "net", "tax", "gross")
    line: Schema = {
        "type": "object",
        "properties": {"sku": text, "name": text, "quantity": {"type": "integer"}, **dict.fromkeys(amounts, amount)},
        "required": ["sku", "name", "quantity", *amounts],
    }
    names = ("book_id", "book_version", "book_sha256", "currency", "quoted_on", "valid_until", "rounding", "sha256")
    totals = ("list_total", "discount_total", "offered_total", "net_total", "tax_total", "gross_total")
    return _listing(
        "quote",
        lines={"type": "array", "items": line},
        open_items={"type": "array", "items": text},
        needs_approval={"type": "boolean"},
        tax_basis={"enum": ["incl", "excl", "unknown"]},
        inputs=_scenario(),
        evidence={"type": "object"},
        **dict.fromkeys(names, text),
        **dict.fromkeys(totals, amount),
    )


BUILDERS: Mapping[str, Callable[[], Schema]] = MappingProxyType(
    {
        "evaluation": lambda: _document("evaluation", of(Evaluation)),
        "scenario": _scenario,
        "run": lambda: of(Run),
        "finding": lambda: of(Finding),
        "kv": _kv,
        "backtest": _backtest,
        "import": _import,
        "quote": _quote,
        "simulation": lambda: _listing("simulation", options={"type": "array"}, seed={"type": "integer"}),
        "comparison": lambda: _listing("comparison", options={"type": "array"}),
        "examples": lambda: _listing("examples", examples={"type": "array"}),
        "proposal": lambda: _listing("proposal", files={"type": "array"}),
    }
)


def schema_document(name: str) -> Schema:
    """Return the JSON Schema of the document ``name``; KeyError when there is none of that name."""
    return {"$schema": DRAFT, "title": name, **BUILDERS[name]()}

"""The spec in words: what `gpuplan explain` shows and the reference page is made of.

Types, defaults and allowed values come from the published schema; sentences are the docstrings below the models' fields,
read from their source only when somebody asks.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import textwrap
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplan.spec import jsonschema
from gpuplan.spec.base import SpecModel
from gpuplan.spec.fleet import FleetSpec
from gpuplan.spec.jsonschema import JsonSchema


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of the spec, explained."""

    path: tuple[str, ...]
    """`*` stands for a name that the user chooses."""
    type: str
    text: str
    required: bool
    default: str
    """As it would be written; empty where there is none."""
    children: tuple[str, ...]
    """Keys below it."""


def explain(path: tuple[str, ...]) -> Key | None:
    """Explain one place in the spec; None where the spec has no such place."""
    schema, required, text = jsonschema.fleet_schema(), True, inspect.getdoc(FleetSpec) or ""
    models: tuple[type[SpecModel], ...] = (FleetSpec,)
    written: list[str] = []
    for segment in path:
        named = _field(models, segment)
        below = jsonschema.child(schema, segment)
        if below is None:
            return None
        fixed = segment in jsonschema.keys(schema)
        required = any(segment in side.get("required", ()) for side in jsonschema.alternatives(schema))
        schema = below
        if named:
            model, name = named
            text, models = field_docs(model).get(name, ""), _models(model.model_fields[name].annotation)
        else:
            text = inspect.getdoc(models[0]) or "" if models else ""
        written.append(segment if fixed else "*")
    default = schema.get("default")
    return Key(
        path=tuple(written),
        type=type_name(schema),
        text=text,
        required=required,
        default="" if default in (None, {}, []) else _written(default),
        children=(*jsonschema.keys(schema), *_names_below(schema)),
    )


def walk(path: tuple[str, ...] = ()) -> Iterator[Key]:
    """Yield every key of the spec below a path, parents first."""
    key = explain(path)
    if key is None:
        return
    yield key
    for name in key.children:
        yield from walk((*path, name))


def _names_below(schema: JsonSchema) -> tuple[str, ...]:
    """Return `*` where a place holds entries by name or in a list, and those have keys of their own."""
    below = jsonschema.child(schema, "*")
    return ("*",) if below is not None and jsonschema.keys(below) else ()


def _field(models: tuple[type[SpecModel], ...], alias: str) -> tuple[type[SpecModel], str] | None:
    for model in models:
        for name, field in model.model_fields.items():
            if field.alias == alias:
                return model, name
    return None


def _models(annotation: object) -> tuple[type[SpecModel], ...]:
    """Return the models inside an annotation: of a choice, an optional value, or the entries of a map or list."""
    if isinstance(annotation, type) and issubclass(annotation, SpecModel):
        return (annotation,)
    if isinstance(annotation, types.GenericAlias | types.UnionType) or typing.get_args(annotation):
        return tuple(model for part in typing.get_args(annotation) for model in _models(part))
    return ()


@functools.cache
def field_docs(model: type[SpecModel]) -> dict[str, str]:
    """Return the docstring below each field of a model, read from its source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, SyntaxError):  # models made at run time, such as the defaults
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    docs: dict[str, str] = {}
    for field, text in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            value = text.value
            docs[field.target.id] = inspect.cleandoc(str(value.value)) if isinstance(value, ast.Constant) else ""
    return docs


def type_name(schema: JsonSchema) -> str:
    """Return what a place takes, in words."""
    sides = [_side(side) for side in jsonschema.alternatives(schema)]
    return " or ".join(dict.fromkeys(sides))


def _side(schema: JsonSchema) -> str:
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " | ".join(f"`{word}`" for word in schema["enum"])
    match schema.get("type"):
        case "array":
            return f"list of {type_name(schema['items'])}"
        case "object":
            entries = schema.get("additionalProperties")
            return (
                f"map of {type_name(entries)}"
                if isinstance(entries, dict) and "properties" not in schema
                else "mapping"
            )
        case "integer":
            return "whole number" + _range(schema)
        case "boolean":
            return "true | false"
        case _:
            return "text"


def _range(schema: JsonSchema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if most is not None and most < 2**31 - 1:
        return f", {least} to {most}"
    return f", at least {least}" if least else ""


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_written(item) for item in value) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{key}: {_written(item)}" for key, item in value.items() if item not in (None, {}, []))
        return "{" + inner + "}"
    return str(value)

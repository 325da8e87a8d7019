"""Documents -> FleetSpec + Origins: join, fill in defaults, check the shape, and say every mistake at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gpuplan.diagnostics import Diagnostic, Diagnostics, KeyPath, ordered
from gpuplan.source.document import Document, Mapping, Plain, Scalar
from gpuplan.spec import findings, jsonschema
from gpuplan.spec.base import Name
from gpuplan.spec.clusters import ClusterSpec
from gpuplan.spec.fleet import FleetSpec
from gpuplan.spec.merge import Origins, fill_defaults, merge
from gpuplan.spec.pools import CardTierSpec, NodePoolSpec
from gpuplan.suggest import nearest

TYPES = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
"""pydantic's error type -> what the key takes, in words."""

WISHES = {
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "quantity": "a quantity such as 90, 500m or 1536Gi",
    "string_pattern_mismatch": "a text that matches `{pattern}`",
}
"""pydantic's error type -> what the value should be, with pydantic's own numbers filled in."""

CHOICE_TAGS = ("word", "choice")
"""What pydantic's error paths hold where a key takes a word or a mapping; nobody wrote it."""


class SpecLeft(FleetSpec):
    """The spec without its broken entries: a section that holds some may then be empty."""

    clusters: dict[Name, ClusterSpec]
    card_tiers: dict[Name, CardTierSpec]
    node_pools: dict[Name, NodePoolSpec]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The spec as written and where it was written.

    `broken` names the entries with mistakes in their shape, which `spec` leaves out: a reference to one of them is no
    mistake of its own.
    """

    spec: FleetSpec
    origins: Origins
    broken: frozenset[KeyPath]


def load(documents: Iterable[Document]) -> tuple[Loaded | None, Diagnostics]:
    """Check the shape of the whole spec.

    A `Loaded` comes back also when single entries are wrong, so that the next phase can look at the others; it is None
    where too little is left to go on.
    """
    documents = tuple(documents)
    merged, repeated = merge(documents)
    root = fill_defaults(merged)
    origins = Origins(Document(root.file, root, ""))
    data = root.plain()
    spec, errors = _validate(data)
    found = [*repeated, *_findings(errors, data, origins)]
    broken = frozenset(_entry(error["loc"], root) for error in errors)
    if spec is None:
        spec, _ = _validate(_without(data, broken), SpecLeft)
    if spec is None:
        return None, ordered(found)
    return Loaded(spec, origins, broken), ordered(found)


def _validate(
    data: dict[str, Plain], model: type[FleetSpec] = FleetSpec
) -> tuple[FleetSpec | None, list[ErrorDetails]]:
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        return None, error.errors(include_url=False)


def _entry(loc: tuple[str | int, ...], root: Mapping) -> KeyPath:
    """Return the named entry that holds a mistake: `("nodePools", "h100-a")`, or the whole section."""
    section = root.get(str(loc[0])) if loc else None
    return loc[:2] if isinstance(section, Mapping) and len(loc) > 1 else loc[:1]


def _without(data: dict[str, Plain], broken: Iterable[KeyPath]) -> dict[str, Plain]:
    """Return the data without the broken entries."""
    left = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
    for path in broken:
        section = left.get(str(path[0])) if path else None
        if len(path) > 1 and isinstance(section, dict):
            section.pop(str(path[1]), None)
        elif path:
            left.pop(str(path[0]), None)
    return left


def _findings(errors: list[ErrorDetails], data: Plain, origins: Origins) -> Iterator[Diagnostic]:
    """Yield each mistake once.

    One in `defaults:` comes back in every entry that it fills, at the same place; a misspelt key comes back as one that
    is missing.
    """
    paths = [_written(error["loc"], data) for error in errors if error["type"] == "extra_forbidden"]
    meant = {(*path[:-1], _meant(path)) for path in paths}
    own = [error for error in errors if error["type"] != "missing" or _written(error["loc"], data) not in meant]
    made = [(error["loc"][:1] == ("defaults",), _finding(error, data, origins)) for error in own]
    in_defaults = {finding.at for is_default, finding in made if is_default}
    yield from (finding for is_default, finding in made if is_default or finding.at not in in_defaults)


def _meant(path: KeyPath) -> str | None:
    """Return the key that an unknown one most likely stands for."""
    return nearest(str(path[-1]), jsonschema.keys(jsonschema.at(path[:-1])))


def _finding(error: ErrorDetails, data: Plain, origins: Origins) -> Diagnostic:
    """Put one of pydantic's errors into our words, at its place in the text."""
    kind, path = error["type"], _written(error["loc"], data)
    if error["loc"] and error["loc"][-1] == "[key]":
        return _bad_name(error, path, origins)
    match kind:
        case "extra_forbidden":
            return _unknown_key(path, origins)
        case "missing":
            return _missing_key(path, origins)
        case "value_error":
            message = error["msg"].removeprefix("Value error, ")
            return findings.CONFLICTING_KEYS.found(f"{_place(path)}: {message}", at=origins.key(path))
        case _ if kind in TYPES:
            return _wrong_type(error, path, origins)
        case _:
            return _bad_value(error, path, origins)


def _written(loc: tuple[str | int, ...], data: Plain) -> KeyPath:
    """Return the path without the tags that pydantic puts in for the sides of a choice."""
    path: list[str | int] = []
    here: Plain = data
    for index, segment in enumerate(loc):
        below = _below(here, segment)
        if below is not None:
            here = below[0]
        elif segment in ("[key]", *CHOICE_TAGS) or index < len(loc) - 1:
            continue
        path.append(segment)
    return tuple(path)


def _below(here: Plain, segment: str | int) -> tuple[Plain] | None:
    """Return what stands under a key or index, in a tuple since it may be None itself."""
    if isinstance(here, dict) and isinstance(segment, str) and segment in here:
        return (here[segment],)
    if isinstance(here, list) and isinstance(segment, int) and segment < len(here):
        return (here[segment],)
    return None


def _place(path: KeyPath) -> str:
    return "the spec" if not path else "`" + ".".join(str(segment) for segment in path) + "`"


def _said(value: object, text: str = "") -> str:
    """Return a value in words; `text` is how a scalar is written, such as `1.30`, where that is known."""
    match value:
        case None:
            return "nothing (write `{}` for an empty mapping)"
        case dict():
            return "a mapping"
        case list():
            return "a list" if value else "an empty list"
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            return f"the text `{value}`"
        case _:
            return f"`{text or value}`"


def _unknown_key(path: KeyPath, origins: Origins) -> Diagnostic:
    guess = _meant(path)
    known = jsonschema.keys(jsonschema.at(path[:-1]))
    fix = f"Write `{guess}`." if guess else f"It takes {_listed(known)}."
    return findings.UNKNOWN_KEY.found(f"{_place(path[:-1])} has no key `{path[-1]}`", at=origins.key(path), fix=fix)


def _missing_key(path: KeyPath, origins: Origins) -> Diagnostic:
    fix = f"Add it; `gpuplan explain {'.'.join(map(str, path))}` says what it takes."
    return findings.MISSING_KEY.found(f"{_place(path[:-1])} needs `{path[-1]}`", at=origins.key(path[:-1]), fix=fix)


def _wrong_type(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    value, node = error["input"], origins.tree.find(path)
    text = node.text if isinstance(node, Scalar) and value is not None else ""
    return findings.WRONG_TYPE.found(
        f"{_place(path)} takes {TYPES[error['type']]}, not {_said(value, text)}",
        at=origins.key(path) if value is None else origins.value(path),
        fix=_of_type(error["type"], text, is_text=isinstance(value, str)),
    )


def _of_type(kind: str, text: str, *, is_text: bool) -> str | None:
    """Say how a scalar of the wrong type would be written right, where that is plain to see."""
    if (kind == "int_type" and text.isdecimal()) or (kind == "bool_type" and text in ("true", "false")):
        return f"Write `{text}`, without quotes."
    if kind == "string_type" and text and not is_text:
        return f'Write `"{text}"`, in quotes: without them YAML reads something else.'
    return f"Write `[{text}]`." if kind == "list_type" and is_text and text else None


def _bad_name(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    section = str(path[-2]) if len(path) > 1 else "the spec"
    summary = f"`{path[-1]}` cannot be a name in `{section}`"
    pattern = error.get("ctx", {}).get("pattern", "")
    detail = f"It has to match `{pattern}`." if pattern else error["msg"]
    return findings.INVALID_NAME.found(summary, at=origins.key(path), detail=detail)


def _bad_value(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    at = origins.value(path)
    if error["type"] in ("literal_error", "union_tag_invalid"):
        known = re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
        guess = nearest(str(error["input"]), known)
        fix = f"Write `{guess}`." if guess else f"It takes {_listed(known)}."
        summary = f"{_place(path)} takes {_listed(known)}, not {_said(error['input'])}"
        return findings.INVALID_VALUE.found(summary, at=at, fix=fix)
    wish = WISHES.get(error["type"], error["msg"]).format(**error.get("ctx", {}))
    return findings.INVALID_VALUE.found(f"{_place(path)} takes {wish}, not {_said(error['input'])}", at=at)


def _listed(names: Iterable[str]) -> str:
    words = [f"`{name}`" for name in names]
    return ", ".join(words[:-1]) + (" or " if len(words) > 1 else "") + words[-1] if words else "no keys"

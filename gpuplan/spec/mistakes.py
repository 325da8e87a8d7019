"""pydantic's errors -> our findings: each mistake once, at its place in the text, in the words of the spec."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic_core import ErrorDetails

from gpuplan.diagnostics import Diagnostic, KeyPath
from gpuplan.source.document import Plain, Scalar
from gpuplan.spec import findings, jsonschema
from gpuplan.spec.base import DNS_LABEL
from gpuplan.spec.merge import Origins
from gpuplan.spec.words import BOOLS, DRIVER_BRANCH, MAPPINGS, TYPES, WISHES, form, listed, place, said
from gpuplan.suggest import nearest

CHOICE_TAGS = ("word", "choice")
"""What pydantic's error paths hold where a key takes a word or a mapping; nobody wrote it."""
MAX_HOMES = 3
"""Places of the spec that one message names for a key."""


def mistakes(errors: list[ErrorDetails], data: Plain, origins: Origins) -> Iterator[Diagnostic]:
    """Yield each mistake once.

    One in `defaults:` comes back in every entry that it fills, at the same place; a misspelt key comes back as one that
    is missing; and all keys that one entry lacks are one mistake.
    """
    made = list(_each(errors, data, origins))
    in_defaults = {finding.at for is_default, finding in made if is_default}
    yield from (finding for is_default, finding in made if is_default or finding.at not in in_defaults)


def _each(errors: list[ErrorDetails], data: Plain, origins: Origins) -> Iterator[tuple[bool, Diagnostic]]:
    """Yield a finding for each mistake, and whether it stands in `defaults:`."""
    paths = {id(error): _written(error["loc"], data) for error in errors}
    unknown = [paths[id(error)] for error in errors if error["type"] == "extra_forbidden"]
    meant = {(*path[:-1], _meant(path)) for path in unknown}
    missing: dict[KeyPath, list[str]] = {}
    for error in errors:
        path = paths[id(error)]
        if error["type"] != "missing":
            yield error["loc"][:1] == ("defaults",), _finding(error, path, origins)
        elif path not in meant:
            missing.setdefault(path[:-1], []).append(str(path[-1]))
    for entry, keys in missing.items():
        yield entry[:1] == ("defaults",), _missing_keys(entry, keys, origins)


def _meant(path: KeyPath) -> str | None:
    """Return the key that an unknown one most likely stands for."""
    return nearest(str(path[-1]), jsonschema.keys(jsonschema.at(path[:-1])))


def _finding(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    """Put one of pydantic's errors into our words, at its place in the text."""
    kind = error["type"]
    if error["loc"] and error["loc"][-1] == "[key]":
        return _bad_name(error, path, origins)
    match kind:
        case "extra_forbidden":
            return _unknown_key(path, origins)
        case "value_error":
            message = error["msg"].removeprefix("Value error, ")
            return findings.CONFLICTING_KEYS.found(f"{place(path)}: {message}", at=origins.key(path))
        case "needs_another":
            needed = [str(error["ctx"]["key"])]
            return _missing_keys(path, needed, origins, f"{place(path)}: {error['msg']}")
        case "too_long_together":
            return findings.INVALID_VALUE.found(
                f"{place(path)}: {error['msg']}", at=origins.key(path), fix="Shorten one of them."
            )
        case "literal_error" | "union_tag_invalid":
            return _not_one_of(error, path, origins)
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


def _unknown_key(path: KeyPath, origins: Origins) -> Diagnostic:
    guess = _meant(path)
    known = jsonschema.keys(jsonschema.at(path[:-1]))
    fix = f"{f'Write `{guess}`' if guess else f'It takes {listed(known)}'}{_elsewhere(str(path[-1]))}."
    return findings.UNKNOWN_KEY.found(f"{place(path[:-1])} has no key `{path[-1]}`", at=origins.key(path), fix=fix)


def _elsewhere(key: str) -> str:
    """Return where a key would be right, if that is in few places."""
    homes = jsonschema.homes().get(key, ())
    return f"; `{key}` is a key of {listed(homes, 'and')}" if 0 < len(homes) <= MAX_HOMES else ""


def _missing_keys(entry: KeyPath, keys: Iterable[str], origins: Origins, summary: str = "") -> Diagnostic:
    keys = sorted(keys)
    dotted = ".".join(map(str, entry))
    if len(keys) == 1:
        fix = f"Add it; `gpuplan explain {dotted}{'.' if dotted else ''}{keys[0]}` says what it takes."
    else:
        fix = f"Add them; `gpuplan explain{' ' if dotted else ''}{dotted}` says what they take."
    summary = summary or f"{place(entry)} needs {listed(keys, 'and')}"
    return findings.MISSING_KEY.found(summary, at=origins.key(entry), fix=fix)


def _wrong_type(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    kind, value, node, schema = error["type"], error["input"], origins.tree.find(path), jsonschema.at(path)
    text = node.text if isinstance(node, Scalar) and value is not None else ""
    words = [f"`{word}`" for word in jsonschema.words(schema)] if kind in MAPPINGS else []
    if value is False and "`off`" in words:
        fix: str | None = "Write `off`."
    elif kind in MAPPINGS and value is not None:
        fix = _mapping_of(schema, text)
    else:
        fix = _of_type(kind, text, str(schema.get("pattern", "")), is_text=isinstance(value, str))
    return findings.WRONG_TYPE.found(
        f"{place(path)} takes {', '.join(words)}{' or ' if words else ''}{TYPES[kind]}, not {said(value, text)}",
        at=origins.key(path) if value is None else origins.value(path),
        fix=fix,
    )


def _mapping_of(schema: jsonschema.JsonSchema, text: str) -> str | None:
    """Say what stands in a mapping, and where it can only be meant for one key, how the scalar goes there."""
    known = jsonschema.keys(schema)
    needed = [key for side in jsonschema.alternatives(schema) for key in side.get("required", ())] or list(known)
    if text and len(needed) == 1:
        return f"Write `{{{needed[0]}: {text}}}`."
    return f"Write a mapping with {listed(known)}." if known else None


def _of_type(kind: str, text: str, pattern: str, *, is_text: bool) -> str | None:
    """Say how a scalar of the wrong type would be written right, where that is plain to see."""
    if (kind == "int_type" and text.isdecimal()) or (kind == "bool_type" and text in ("true", "false")):
        return f"Write `{text}`, without quotes."
    if kind == "bool_type" and text.casefold() in BOOLS:
        return f"Write `{BOOLS[text.casefold()]}`."
    if kind == "string_type" and text and not is_text:
        fits = not pattern or re.search(pattern, text)
        return f'Write `"{text}"`, in quotes: without them it is no text.' if fits else f"Write {form(pattern)}."
    return f"Write `[{text}]`." if kind == "list_type" and is_text and text else None


def _bad_name(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    section = str(path[-2]) if len(path) > 1 else "the spec"
    pattern = str(error.get("ctx", {}).get("pattern", DNS_LABEL))
    becomes_an_object = pattern == DNS_LABEL
    return findings.INVALID_NAME.found(
        f"`{path[-1]}` cannot be a name in `{section}`",
        at=origins.key(path),
        detail=None if becomes_an_object else "",
        fix=None if becomes_an_object else f"Write {form(pattern)}.",
    )


def _not_one_of(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    known = re.findall(r"'([^']*)'", str(error.get("ctx", {}).get("expected", "")))
    inner = jsonschema.keys(jsonschema.at(path)) if error["type"] == "literal_error" else ()
    takes = listed(known) + (f", or a mapping with {listed(inner)}" if inner else "")
    guess = nearest(str(error["input"]), known)
    fix = f"Write `{guess}`." if guess else f"It takes {takes}."
    summary = f"{place(path)} takes {takes}, not {said(error['input'])}"
    return findings.INVALID_VALUE.found(summary, at=origins.value(path), fix=fix)


def _bad_value(error: ErrorDetails, path: KeyPath, origins: Origins) -> Diagnostic:
    numbers = error.get("ctx", {})
    wish, fix = WISHES.get(error["type"]), None
    if error["type"] == "string_pattern_mismatch":
        pattern, first = str(numbers.get("pattern", "")), str(error["input"]).removeprefix("R").partition(".")[0]
        takes = form(pattern)
        fix = f'Write `"{first}"`.' if pattern == DRIVER_BRANCH and re.search(pattern, first) else None
    elif error["type"] == "string_too_short" and numbers.get("min_length") == 1:
        takes = "a text that is not empty"
    else:
        takes = wish.format(**numbers) if wish else error["msg"]
    summary = f"{place(path)} takes {takes}, not {said(error['input'])}"
    return findings.INVALID_VALUE.found(summary, at=origins.value(path), fix=fix)

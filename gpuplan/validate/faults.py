"""What the schema of its kind says against an object that anybody wrote, in words: where, what, and what to write instead."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpuplan.suggest import meant, nearest
from gpuplan.validate.lenient import Checker, checker, is_builtin

Path = tuple[str | int, ...]

UNKNOWN: Final = "additionalProperties"
_MOST_SHOWN: Final = 60
"""Characters of a value that a message repeats."""
_DEEPEST: Final = 9
"""How far below the root a misplaced key is looked for."""
_MOST_CHOICES: Final = 12


class Word(enum.Enum):
    """What kind of fault it is."""

    UNKNOWN = "unknown"
    MISSING = "missing"
    TYPE = "type"
    VALUE = "value"
    SIZE = "size"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault: the path of the value at fault (of a missing field, of the mapping that lacks it), and words."""

    path: Path
    word: Word
    summary: str
    fix: str
    field: str = ""
    """The field that is missing."""


def faults(api_version: str, kind: str, data: object) -> Iterator[Fault]:
    """Yield what a server says to the shape of an object of a kind; nothing where no schema of it is known."""
    judge = checker(api_version, kind)
    if judge is None or judge.compiled.is_valid(data):
        return
    builtin = is_builtin(api_version)
    for error in judge.compiled.iter_errors(data):  # an unknown key is refused with null, too
        if error.kind.name == UNKNOWN:
            yield from (_unknown(judge, tuple(error.instance_path), key) for key in error.kind.value)
    for error in judge.compiled.iter_errors(without_nulls(data)):
        if error.kind.name != UNKNOWN and not (
            builtin and error.instance is None
        ):  # Go takes null for nothing, in lists too
            yield _of(judge, tuple(error.instance_path), error.kind, error.instance)


def without_nulls(data: object) -> object:
    """Return an object as a server reads it: a key with null is not there."""
    if isinstance(data, Mapping):
        return {key: without_nulls(value) for key, value in data.items() if value is not None}
    if isinstance(data, list | tuple):
        return [without_nulls(value) for value in data]
    return data


def _of(judge: Checker, path: Path, kind: Any, value: object) -> Fault:
    name, said, place = kind.name, kind.value, where(path)
    if name == "required":
        missing = where((*path, said))
        fix = f"Write `{said}` in {place}."
        return Fault(path=path, word=Word.MISSING, summary=f"`{missing}` is missing", fix=fix, field=said)
    word, words, fix = _value_fault(judge, path, name, said, value)
    return Fault(path=path, word=word, summary=f"`{place}` {words}", fix=fix)


def _value_fault(judge: Checker, path: Path, name: str, said: Any, value: object) -> tuple[Word, str, str]:
    """Return what kind of fault a value has, in words, and what to write instead."""
    if name == "type":
        return Word.TYPE, f"is {_shown(value)}, not {_types(said)}", _typed(value, said)
    if name in ("enum", "const"):
        return Word.VALUE, f"is {_shown(value)}, which is no choice", _choose(value, said if name == "enum" else [said])
    if name.startswith(("min", "max")):
        return Word.SIZE, _size(name, said, value), "Stay within the bound."
    if name == "pattern":
        return Word.VALUE, f"is {_shown(value)}, which does not fit `{said}`", _fit(said)
    return Word.VALUE, f"is {_shown(value)}, which is none of the forms that it may have", _forms(judge, path)


def _unknown(judge: Checker, path: Path, key: str) -> Fault:
    known = sorted({name for one in judge.at(path) for name in one.get("properties", ())})
    fix = meant(key, known, "")
    if not fix and (home := _home(judge, key, path)):
        fix = f"The field is `{where((*home, key))}`."
    if not fix:
        fix = (
            f"Take it out; known here: {', '.join(known[:_MOST_CHOICES])}{', …' if len(known) > _MOST_CHOICES else ''}."
        )
    return Fault(path=(*path, key), word=Word.UNKNOWN, summary=f"`{where((*path, key))}` is no field", fix=fix)


def _home(judge: Checker, key: str, path: Path) -> Path | None:
    """Return the nearest place above or below the root where a key is a field, if it is in but one."""
    found = list(_places(judge, key, (), judge.at(()), 0))
    shared = [sum(1 for a, b in zip(home, path, strict=False) if a == b) for home in found]
    best = [home for home, count in zip(found, shared, strict=True) if count == max(shared)]
    return best[0] if len(best) == 1 else None


def _places(judge: Checker, key: str, path: Path, schemas: Iterable[Mapping[str, Any]], depth: int) -> Iterator[Path]:
    for one in schemas:
        fields = one.get("properties", {})
        if key in fields:
            yield path
        if depth < _DEEPEST:
            for name, inner in fields.items():
                if name not in ("metadata", "status") and isinstance(inner, dict):
                    yield from _places(judge, key, (*path, name), judge.sides(inner), depth + 1)
        if isinstance(one.get("items"), dict):
            yield from _places(judge, key, path, judge.sides(one["items"]), depth + 1)


def where(path: Path) -> str:
    """Return a path as Kubernetes writes it: `spec.resourceGroups[0].flavors[1].name`."""
    text = ""
    for segment in path:
        text += f"[{segment}]" if isinstance(segment, int) else f".{segment}" if text else segment
    return text or "the object"


def _types(said: Iterable[str]) -> str:
    names = {"object": "a mapping", "array": "a list", "integer": "a whole number", "string": "a text", "null": "null"}
    return " or ".join(names.get(one, f"a {one}") for one in said)


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return "null" if value is None else text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _typed(value: object, said: Iterable[str]) -> str:
    wanted = list(said)
    if "string" in wanted and isinstance(value, bool | int | float):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f'Put it in quotes: `"{text}"`.'
    if isinstance(value, str) and ("integer" in wanted or "number" in wanted) and value.strip().lstrip("-").isdigit():
        return f"Write it without quotes: `{value.strip()}`."
    if isinstance(value, str) and "boolean" in wanted and value.lower() in ("true", "false"):
        return f"Write it without quotes: `{value.lower()}`."
    return f"Write {_types(wanted)}."


def _choose(value: object, choices: Iterable[Any]) -> str:
    names = [str(one) for one in choices if one != ""]
    guess = nearest(value, names) if isinstance(value, str) else None
    return f"Did you mean {guess!r}?" if guess else f"Choose of {', '.join(names[:_MOST_CHOICES])}."


def _size(name: str, bound: object, value: object) -> str:
    least = name.startswith("min")
    if name.endswith(("Items", "Properties")):
        count = len(value) if isinstance(value, list | Mapping) else 0
        return f"has {count} entries; it must have at {'least' if least else 'most'} {bound}"
    if name.endswith("Length"):
        return f"is {_shown(value)}; it must have at {'least' if least else 'most'} {bound} characters"
    return f"is {_shown(value)}; it must be at {'least' if least else 'most'} {bound}"


def _fit(pattern: str) -> str:
    if "KMGTPE" in pattern:
        return "Write a quantity such as `4`, `500m` or `64Gi`."
    if pattern.startswith("^[a-z0-9]"):
        return "Write lower-case letters, digits, `-` and `.`, with a letter or digit at both ends."
    return "Write a text that fits the pattern."


def _forms(judge: Checker, path: Path) -> str:
    if any("KMGTPE" in one.get("pattern", "") for one in judge.at(path)):
        return "Write a quantity such as `4`, `500m` or `64Gi`."
    forms = [_types([one["type"]]) for one in judge.at(path) if isinstance(one.get("type"), str)]
    return f"Write {' or '.join(dict.fromkeys(forms))}." if forms else "Write one of its forms."

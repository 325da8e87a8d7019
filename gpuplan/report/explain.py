"""`gpuplan explain`: one place in the spec, for people."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from gpuplan.report.console import table, title
from gpuplan.spec.reference import Key, explain


def explained(key: Key) -> Iterator[RenderableType]:
    """Yield a key with what stands below it."""
    yield title(".".join(key.path) or "the fleet spec")
    yield Text(key.text)
    yield Text("")
    facts = [("takes", key.type.replace("`", ""))]
    if key.path:
        facts.append(("required", "yes" if key.required else "no"))
    if key.default:
        facts.append(("default", key.default))
    yield table(("", ""), facts)
    rows = [_row(key, made) for made in _below(key)]
    if rows:
        yield Text("")
        yield table(("KEY (* required)", "TAKES", ""), rows)


def _below(key: Key) -> list[Key]:
    """Return the keys below; where only names come next, those of an entry."""
    children = [made for name in key.children if (made := explain((*key.path, name)))]
    if key.children == ("*",) and children:
        return [made for name in children[0].children if (made := explain((*children[0].path, name)))]
    return children


def _row(key: Key, made: Key) -> tuple[str, str, str]:
    name = ".".join(made.path[len(key.path) :])
    required = " *" if made.required and made.path[-1] != "*" else ""
    return name + required, made.type.replace("`", ""), made.text

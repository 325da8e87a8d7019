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
    below = [made for name in key.children if (made := explain((*key.path, name)))]
    if below:
        yield Text("")
        rows = [
            (
                made.path[-1] + (" *" if made.required and made.path[-1] != "*" else ""),
                made.type.replace("`", ""),
                made.text,
            )
            for made in below
        ]
        yield table(("KEY (* required)", "TAKES", ""), rows)

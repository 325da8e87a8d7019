"""What a shell may complete an argument to. Each asks as little of gpuplan as it can, and gives nothing where it fails."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem


def folders(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Leave it to the shell, which knows folders."""
    return [CompletionItem(incomplete, type="dir")]


def clusters(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the clusters that the fleet names, as far as its text can be read."""
    from gpuplan.source.document import Mapping  # noqa: PLC0415 - only when a shell asks
    from gpuplan.source.folder import read_fleet  # noqa: PLC0415

    documents, _ = read_fleet(Path(ctx.params.get("fleet_dir") or "fleet"))
    sections = [document.root.get("clusters") for document in documents or ()]
    return _beginning(incomplete, (name for part in sections if isinstance(part, Mapping) for name in part.entries))


def rules(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of findings."""
    from gpuplan.report.book import BOOK  # noqa: PLC0415

    return _beginning(incomplete, BOOK)


def cards(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the cards of the catalogue."""
    from gpuplan import catalog  # noqa: PLC0415

    return _beginning(incomplete, catalog.load().cards)


def keys(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the keys of the spec below what is written; where names come next, the keys below `*`."""
    from gpuplan.spec.reference import explain  # noqa: PLC0415

    above = tuple(part for part in incomplete.split(".")[:-1] if part)
    key = explain(above)
    if key is not None and key.children == ("*",):
        above = (*above, "*")
        key = explain(above)
        incomplete = ".".join((*above, ""))
    return _beginning(incomplete, (".".join((*above, name)) for name in (key.children if key else ())))


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))

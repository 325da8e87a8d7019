"""`--assume`, for commands that read files which do not tell everything."""

from __future__ import annotations

from collections.abc import Iterable

import click

from gpuplan import catalog
from gpuplan.cli.options import F
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.assuming import NotAssumableError, assumed


def assume_option(function: F) -> F:
    """Add `--assume KEY=VALUE,…`, which may be repeated."""
    return click.option(
        "--assume",
        "assumptions",
        multiple=True,
        metavar="KEY=VALUE,...",
        help="Facts that the files do not hold: card, cardsPerNode, nodes, nodes.NAME, migStrategy, counters, kueue, ...",
    )(function)


def facts(assumptions: Iterable[str]) -> Assumed:
    """Read the facts. One that cannot be read is wrong usage."""
    words = [word for one in assumptions for word in one.split(",") if word.strip()]
    try:
        return assumed(words, catalog.load().cards)
    except NotAssumableError as error:
        raise click.UsageError(f"--assume: {error}") from None

"""`gpuplan cards`."""

from __future__ import annotations

import json
import sys

import click

from gpuplan import catalog
from gpuplan.cli import completing
from gpuplan.cli.options import colour, json_option, say
from gpuplan.report import cards, console
from gpuplan.suggest import meant


@click.command("cards")
@click.argument("name", required=False, shell_complete=completing.cards)
@json_option
def command(name: str | None, output_format: str) -> None:
    """Show the cards that the catalogue knows, or everything about one."""
    known = catalog.load()
    if name is not None and name not in known.cards:
        hint = meant(name, known.cards, "`gpuplan cards` lists them.")
        raise click.UsageError(f"No card is called {name!r}. {hint}")
    chosen = [known.cards[name]] if name else [known.cards[key] for key in sorted(known.cards)]
    if output_format == "json":
        say(json.dumps(cards.data(chosen), indent=2))
        return
    parts = cards.details(chosen[0], known.mig_of(chosen[0])) if name else cards.overview(chosen)
    say(console.drawn(parts, colour=colour(sys.stdout)), nl=False)

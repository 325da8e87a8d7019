"""`gpuplan cards`."""

from __future__ import annotations

import json
import sys

import click

from gpuplan import catalog
from gpuplan.cli.options import colour, json_option
from gpuplan.report import cards, console
from gpuplan.suggest import nearest


@click.command("cards")
@click.argument("name", required=False)
@json_option
def command(name: str | None, output_format: str) -> None:
    """Show the cards that the catalogue knows, or everything about one."""
    known = catalog.load()
    if name is not None and name not in known.cards:
        guess = nearest(name, list(known.cards))
        click.echo(f"No card is called {name!r}." + (f" Did you mean {guess!r}?" if guess else ""), err=True)
        raise SystemExit(1)
    chosen = [known.cards[name]] if name else [known.cards[key] for key in sorted(known.cards)]
    if output_format == "json":
        click.echo(json.dumps(cards.data(chosen), indent=2))
        return
    parts = cards.details(chosen[0], known.mig_of(chosen[0])) if name else cards.overview(chosen)
    click.echo(console.drawn(parts, colour=colour(sys.stdout)), nl=False)

"""`gpuplan init`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gpuplan import catalog
from gpuplan.cli.options import fleet_option
from gpuplan.report import starter
from gpuplan.spec.jsonschema import schema_text
from gpuplan.suggest import nearest


@click.command("init")
@fleet_option
@click.option("--name", default="acme", show_default=True, help="Name of the fleet.")
@click.option("--cluster", default="prod", show_default=True, help="Name of the first cluster.")
@click.option("--card", default="l40s", show_default=True, help="Card of the first pool (`gpuplan cards`).")
@click.option("--nodes", default=4, show_default=True, type=click.IntRange(1), help="Nodes of the first pool.")
@click.option("--cards-per-node", default=4, show_default=True, type=click.IntRange(1, 64), help="Cards in each node.")
def command(fleet_dir: Path, name: str, cluster: str, card: str, nodes: int, cards_per_node: int) -> None:
    """Write a small fleet that checks and renders, to start from. Never overwrites a file."""
    known = catalog.load().cards
    if card not in known:
        guess = nearest(card, list(known))
        hint = f" Did you mean {guess!r}?" if guess else " `gpuplan cards` lists them."
        raise click.UsageError(f"No card is called {card!r}.{hint}")
    text = starter.fleet_text(name=name, cluster=cluster, card=card, nodes=nodes, cards_per_node=cards_per_node)
    files = {"fleet.yaml": text, "fleet.schema.json": schema_text()}
    taken = [file for file in files if (fleet_dir / file).exists()]
    if taken:
        raise click.UsageError(f"{fleet_dir / taken[0]} exists already; nothing was written.")
    for file, content in files.items():
        _write(fleet_dir / file, content)
    click.echo(f"Wrote {fleet_dir}/fleet.yaml. Next: `gpuplan check`, then `gpuplan render`.", err=True)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None

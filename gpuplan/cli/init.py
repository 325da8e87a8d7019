"""`gpuplan init`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from gpuplan import catalog, pipeline
from gpuplan.cli import completing
from gpuplan.cli.options import dns_name, fleet_option, log, today
from gpuplan.cli.writing import write_new
from gpuplan.diagnostics import Severity
from gpuplan.report import starter
from gpuplan.spec.jsonschema import schema_text
from gpuplan.suggest import meant

SPEC, SCHEMA = "fleet.yaml", "fleet.schema.json"


@click.command("init")
@fleet_option
@click.option("--name", default="acme", show_default=True, callback=dns_name, help="Name of the fleet.")
@click.option("--cluster", default="prod", show_default=True, callback=dns_name, help="Name of the first cluster.")
@click.option(
    "--card",
    default="l40s",
    show_default=True,
    shell_complete=completing.cards,
    help="Card of the first pool (`gpuplan cards`).",
)
@click.option("--nodes", default=4, show_default=True, type=click.IntRange(1), help="Nodes of the first pool.")
@click.option("--cards-per-node", default=4, show_default=True, type=click.IntRange(1, 64), help="Cards in each node.")
def command(fleet_dir: Path, name: str, cluster: str, card: str, nodes: int, cards_per_node: int) -> None:
    """Write a small fleet that checks and renders, to start from. Never overwrites a file."""
    known = catalog.load()
    if card not in known.cards:
        hint = meant(card, known.cards, "`gpuplan cards` lists them.")
        raise click.UsageError(f"No card is called {card!r}. {hint}")
    if fleet_dir.exists() and not fleet_dir.is_dir():
        raise click.UsageError(f"{fleet_dir} is a file, and a fleet is a folder.")
    taken = _taken(fleet_dir)
    if taken:
        raise click.UsageError(f"{taken} exists already; nothing was written.")
    text = starter.fleet_text(known, name=name, cluster=cluster, card=card, nodes=nodes, cards_per_node=cards_per_node)
    _try(text)
    write_new(fleet_dir / SCHEMA, schema_text())
    write_new(fleet_dir / SPEC, text)
    log(f"Wrote {fleet_dir / SPEC}, and {SCHEMA} for your editor. Next: `gpuplan check`, then `gpuplan render`.")


def _taken(fleet_dir: Path) -> Path | None:
    """Return a file that makes the folder a fleet already, or that would be overwritten."""
    spec = (path for path in sorted(fleet_dir.rglob("*")) if path.suffix.lower() in (".yaml", ".yml"))
    schema = fleet_dir / SCHEMA
    return next(spec, schema if schema.exists() else None)


def _try(text: str) -> None:
    """Refuse wishes that no fleet can have, in the words of `gpuplan check`."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SPEC).write_text(text, encoding="utf-8")
        checked = pipeline.check(Path(folder), today())
    errors = [finding for finding in checked.findings if finding.severity is Severity.ERROR]
    if errors:
        raise click.UsageError(f"{errors[0].summary}.")

"""`gpuplan rule`."""

from __future__ import annotations

import json

import click

from gpuplan.cli import completing
from gpuplan.cli.options import json_option, say
from gpuplan.report import pages
from gpuplan.report.book import BOOK
from gpuplan.suggest import meant


@click.command("rule")
@click.argument("rule_id", required=False, metavar="[ID]", shell_complete=completing.rules)
@json_option
def command(rule_id: str | None, output_format: str) -> None:
    """Explain a finding by its id, such as quota/over-capacity; without one, list them all."""
    if rule_id is not None and rule_id not in BOOK:
        hint = meant(rule_id, BOOK, "`gpuplan rule` lists them.")
        raise click.UsageError(f"No finding has the id {rule_id!r}. {hint}")
    chosen = [BOOK[rule_id]] if rule_id else list(BOOK.values())
    if output_format == "json":
        say(json.dumps(pages.data(chosen), indent=2))
    elif rule_id:
        say(pages.page(chosen[0]), nl=False)
    else:
        for doc in chosen:
            say(f"{doc.id:40} {doc.severity.value:8} {doc.summary}")

"""`gpuplan schema`."""

from __future__ import annotations

from pathlib import Path

import click

from gpuplan.cli.options import log, say

FLEET, PLAN = "fleet", "plan"


@click.command("schema")
@click.option(
    "--of", type=click.Choice((FLEET, PLAN)), default=FLEET, show_default=True, help="Of the spec, or of `plan.json`."
)
@click.option(
    "--out", "out_file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write it there."
)
@click.option("--check", "check_only", is_flag=True, help="With --out: only tell whether the file is fresh.")
def command(of: str, out_file: Path | None, *, check_only: bool) -> None:
    """Print the JSON Schema (draft-07) of the spec, for editors, or of a plan, for programs.

    Name it in the first line of each file: `# yaml-language-server: $schema=fleet.schema.json`.
    """
    text = _text(of)
    if out_file is None:
        if check_only:
            raise click.UsageError("--check needs --out FILE.")
        say(text, nl=False)
        return
    fresh = _holds(out_file, text)
    if check_only and not fresh:
        log(f"{out_file} is stale; run `gpuplan schema --of {of} --out {out_file}`.")
        raise SystemExit(1)
    if not fresh:
        _write(out_file, text)


def _text(of: str) -> str:
    """Return a schema; what makes it is imported only then."""
    if of == PLAN:
        from gpuplan.report.plans.schema import schema_text as plan_schema  # noqa: PLC0415

        return plan_schema()
    from gpuplan.spec.jsonschema import schema_text  # noqa: PLC0415

    return schema_text()


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from None


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None

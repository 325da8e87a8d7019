"""The command line: one thin file per command, imported only when it is called.

Exit codes are a contract: 0 fine, 1 findings (or stale output), 2 wrong usage or a fault of ours, 3 a server could not be
reached. stdout holds the result, stderr the log.
"""

from __future__ import annotations

import gc
import importlib
import io
import sys
from typing import Any, cast

import click

COMMANDS = {
    "cards": "Show the cards that the catalogue knows.",
    "check": "Check the fleet spec and say everything that is wrong.",
    "explain": "Explain a key of the spec.",
    "init": "Write a small fleet to start from.",
    "render": "Compile the fleet into rendered/, or check that it is fresh.",
    "rule": "Explain a finding by its id.",
    "schema": "Print the JSON Schema of the spec.",
    "show": "Show the resolved fleet: capacity and who may use it.",
}
"""Every command with its line in the help; the module of the same name defines `command`."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, so that `--version` and `--help` stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"gpuplan.cli.{cmd_name}")
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from gpuplan.suggest import nearest  # noqa: PLC0415 - only where somebody mistyped

            guess = nearest(args[0], list(COMMANDS))
            hint = f" Did you mean '{guess}'?" if guess else ""
            ctx.fail(f"No such command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        from gpuplan import __version__  # noqa: PLC0415 - see above

        click.echo(f"gpuplan {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print it.")
def cli() -> None:
    """Compile one GPU fleet spec into every manifest that its Kubernetes clusters need.

    \b
    gpuplan init            start a fleet
    gpuplan check           is the spec right?
    gpuplan render          write rendered/ for Argo CD
    """


def main() -> None:
    """Run, and tell a fault of ours (2, with a traceback) from findings (1)."""
    gc.disable()  # a run is short and makes hardly any cycles: collecting would cost a third of it
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 is no reason to fail
    try:
        cli(prog_name="gpuplan", standalone_mode=True)
    except BrokenPipeError:
        # The reader of our output has gone: not an error of anybody's. Python would complain when it closes stdout.
        sys.stderr.close()
        sys.exit(0)
    except Exception:
        import traceback  # noqa: PLC0415 - a fault of ours is rare

        traceback.print_exc()
        click.echo("\nThis is a fault of gpuplan, not of your fleet. Please report it with the lines above.", err=True)
        sys.exit(2)

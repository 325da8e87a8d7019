"""The command line: one thin file per command, imported only when it is called.

Exit codes are a contract: 0 fine, 1 findings (or stale output), 2 wrong usage or a fault of ours, 3 a server could not be
reached, 130 stopped by Ctrl-C. stdout holds the result, stderr the log.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

FAULT = 2
"""Exit code of a fault of ours; click's own for wrong usage."""
INTERRUPTED = 130
"""What shells give a program that Ctrl-C ended: 128 and the number of SIGINT."""

COMMANDS = {
    "advise": "Advise who runs the GPU agents of each pool, as a record to be signed.",
    "argocd-cmp": "Give Argo CD the objects of one cluster, as its plugin.",
    "cards": "Show the cards that the catalogue knows.",
    "check": "Check the fleet spec and say everything that is wrong.",
    "ci": "Review a change as CI does: check, render --check, plan.",
    "comment": "Put a review on the pull or merge request.",
    "compat": "Show what is known of versions, cards and drivers going together.",
    "completion": "Print the script by which a shell completes commands.",
    "cost": "Show what teams and pools held, and what it is worth, from Prometheus.",
    "diff": "Show what differs between two trees of manifests, path by path.",
    "drift": "Say what in a live cluster is not as rendered, and who changed it.",
    "drill": "Try on purpose what happens when a node is drained or breaks.",
    "explain": "Explain a key of the spec.",
    "import": "Make a spec of manifests that are there, and give account of each.",
    "fmt": "Lay the spec's files out in one style.",
    "init": "Write a small fleet to start from.",
    "label-nodes": "Put the labels and taints of the spec on live nodes.",
    "lint": "Find what is wrong in manifests as they are, without a spec.",
    "migrate": "Rewrite old spellings of the spec into the newest.",
    "migrate-stack": "Lay out, and take in steps, a pool's way to another stack.",
    "plan": "Say what a change means before it is merged.",
    "reclaim": "Find idle work, give notice, and suspend it.",
    "render": "Compile the fleet into rendered/, or check that it is fresh.",
    "rights": "Print the ClusterRole that a command needs on a cluster.",
    "rule": "Explain a finding by its id.",
    "schema": "Print the JSON Schema of the spec.",
    "show": "Show the resolved fleet: capacity and who may use it.",
    "verify": "Check whether a live cluster is what its spec says.",
    "upgrade": "Say how clusters get to other versions, step by step.",
}
"""Every command with its line in the help; the module of the same name, with `_` for `-`, defines `command`."""
MODULES = {"import": "importing"}
"""Commands whose name no module can have."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, so that `--version` and `--help` stay quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        name = MODULES.get(cmd_name, cmd_name.replace("-", "_"))
        module = importlib.import_module(f"gpuplan.cli.{name}")
        return cast("click.Command", module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of commands without importing them, and options."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only when a shell asks

        named = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return [*named, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from gpuplan.suggest import meant  # noqa: PLC0415 - only where somebody mistyped

            ctx.fail(f"No such command '{args[0]}'. {meant(args[0], COMMANDS, '')}".rstrip())
        return super().resolve_command(ctx, args)


def _print_version(ctx: click.Context, _param: click.Parameter, value: Any) -> None:
    if value and not ctx.resilient_parsing:
        from gpuplan import __version__  # noqa: PLC0415 - see above

        click.echo(f"gpuplan {__version__}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def cli() -> None:
    """Compile one GPU fleet spec into every manifest that its Kubernetes clusters need.

    \b
    gpuplan init            start a fleet
    gpuplan check           is the spec right?
    gpuplan render          write rendered/ for Argo CD

    Exit codes: 0 fine, 1 findings or stale output, 2 wrong usage or a fault of gpuplan.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    from gpuplan.cli.streams import OutputError  # noqa: PLC0415 - see above

    try:
        code = cli.main(list(arguments), prog_name="gpuplan", standalone_mode=False)
    except click.ClickException as refused:
        refused.show()
        return refused.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except SystemExit as stopped:
        code = stopped.code
    except OutputError as error:
        click.echo(f"gpuplan: cannot write to standard output: {error}", err=True)
        return FAULT
    except Exception:
        import traceback  # noqa: PLC0415 - a fault of ours is rare

        traceback.print_exc()
        click.echo("\nThis is a fault of gpuplan, not of your fleet. Please report it with the lines above.", err=True)
        return FAULT
    return code if isinstance(code, int) else 0


def main() -> NoReturn:
    """Run the command of the process's arguments, and exit."""
    from gpuplan.cli.streams import prepare  # noqa: PLC0415 - not for whoever imports `cli`

    gc.disable()  # a run is short and makes hardly any cycles: collecting would cost a third of it
    prepare()
    sys.exit(run(sys.argv[1:]))

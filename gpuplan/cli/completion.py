"""`gpuplan completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from gpuplan.cli.options import say

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script by which a shell completes commands, options, clusters, rules, cards and keys of the spec.

    \b
    bash    source <(gpuplan completion bash)      in ~/.bashrc
    zsh     source <(gpuplan completion zsh)       in ~/.zshrc, after compinit
    fish    gpuplan completion fish | source       in ~/.config/fish/config.fish
    """
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"This version of click knows no {shell}.")
    say(made(ctx.find_root().command, {}, "gpuplan", "_GPUPLAN_COMPLETE").source(), nl=False)

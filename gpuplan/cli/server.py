"""Options of commands that ask a Prometheus: where it is, who asks, and how long to wait.

A secret comes from a file or the environment; of the command line every user of a machine can read what others wrote.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NoReturn

import click

from gpuplan.cli.options import F, log
from gpuplan.cluster.access import Access, address
from gpuplan.cluster.answers import Problem

NOT_REACHED = 3
"""Exit code: a server could not be reached, or gave no answer."""
TENANT_HEADER = "X-Scope-OrgID"
"""The tenant's header of Mimir, Cortex and Loki; Thanos takes it where it is told to."""


_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_OPTIONS = (
    click.option("--prometheus", "url", metavar="URL", required=True, envvar="GPUPLAN_PROMETHEUS", show_envvar=True,
                 help="Prometheus, Thanos, Mimir or VictoriaMetrics: what stands before /api/v1."),
    click.option("--tenant", metavar="NAME", envvar="GPUPLAN_PROMETHEUS_TENANT", show_envvar=True,
                 help=f"The tenant, sent as {TENANT_HEADER}."),
    click.option("--header", "headers", metavar="'NAME: VALUE'", multiple=True, help="Another header; may be repeated."),
    click.option("--token-file", type=_FILE, metavar="FILE",
                 help="File with a bearer token; or GPUPLAN_PROMETHEUS_TOKEN."),
    click.option("--user", metavar="NAME", envvar="GPUPLAN_PROMETHEUS_USER", show_envvar=True, help="User of basic auth."),
    click.option("--password-file", type=_FILE, metavar="FILE",
                 help="File with the user's password; or GPUPLAN_PROMETHEUS_PASSWORD."),
    click.option("--ca-file", type=_FILE, metavar="FILE",
                 help="Certificates of the authority to trust."),
    click.option("--timeout", type=click.FloatRange(1, 3600), default=60, show_default=True, metavar="SECONDS",
                 help="How long one query may take."),
)  # fmt: skip


def prometheus_options(function: F) -> Callable[..., Any]:
    """Add the options; the function takes what they say as `access`. What makes no sense is wrong usage."""

    @functools.wraps(function)
    def asked(*arguments: Any, **options: Any) -> Any:
        said = _Options(**{part.name: options.pop(part.name) for part in fields(_Options)})
        return function(*arguments, access=_access(said), **options)

    return _with(_OPTIONS, asked)


_OPTIONAL = (
    click.option("--prometheus", "url", metavar="URL", envvar="GPUPLAN_PROMETHEUS", show_envvar=True,
                 help="Prometheus, Thanos, Mimir or VictoriaMetrics: what stands before /api/v1."),
    click.option("--alertmanager", "alertmanager_url", metavar="URL", envvar="GPUPLAN_ALERTMANAGER", show_envvar=True,
                 help="Alertmanager: what stands before /api/v2. Who asks is the same as for Prometheus."),
    *_OPTIONS[1:],
)  # fmt: skip


def monitoring_options(function: F) -> Callable[..., Any]:
    """Add the options where neither server need be named; the function takes `prometheus` and `alertmanager`, Access or None."""

    @functools.wraps(function)
    def asked(*arguments: Any, **options: Any) -> Any:
        alertmanager = options.pop("alertmanager_url")
        said = _Options(**{part.name: options.pop(part.name) for part in fields(_Options)})
        servers = {
            "prometheus": _access(said) if said.url else None,
            "alertmanager": _access(replace(said, url=alertmanager), "--alertmanager") if alertmanager else None,
        }
        return function(*arguments, **servers, **options)

    return _with(_OPTIONAL, asked)


def _with(options: Sequence[Callable[[Any], Any]], made: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        made = option(made)
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options as they were written."""

    url: str
    tenant: str | None
    headers: tuple[str, ...]
    token_file: Path | None
    user: str | None
    password_file: Path | None
    ca_file: Path | None
    timeout: float


def _access(said: _Options, named: str = "--prometheus") -> Access:
    """Return what the options and the environment say. Raises UsageError."""
    place = address(said.url)
    if isinstance(place, str):
        raise click.UsageError(f"{named} is no address: {place}. Write it as https://{named.lstrip('-')}.example:9090.")
    token = "" if said.token_file else _secret("GPUPLAN_PROMETHEUS_TOKEN")
    password = _read(said.password_file) if said.password_file else _secret("GPUPLAN_PROMETHEUS_PASSWORD")
    user = said.user or place.user
    if (token or said.token_file) and user:
        raise click.UsageError("There is both a token and a user; a request carries one of them.")
    if password and not user:
        raise click.UsageError("There is a password without a user; name the user with --user.")
    return Access(
        url=place.url,
        headers={**dict(map(_header, said.headers)), **({TENANT_HEADER: said.tenant} if said.tenant else {})},
        token=token,
        token_file=said.token_file,
        user=user,
        password=password or place.password,
        ca_file=said.ca_file,
        timeout=said.timeout,
    )


def _secret(variable: str) -> str:
    return os.environ.get(variable, "").strip()


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(
            f"The file {file} cannot be read: {getattr(error, 'strerror', 'it is no text')}."
        ) from None


def _header(written: str) -> tuple[str, str]:
    name, colon, value = written.partition(":")
    if not (colon and name.strip() and value.strip()):  # the value may be a secret: it is not repeated
        raise click.UsageError(f"--header {name!r} is no header. Write its name, a colon and its value.")
    return name.strip(), value.strip()


def give_up(problem: Problem) -> NoReturn:
    """Say why there was no answer, and end the command."""
    log(f"gpuplan: {problem.summary}")
    if problem.fix:
        log(f"  {problem.fix}")
    raise SystemExit(NOT_REACHED)

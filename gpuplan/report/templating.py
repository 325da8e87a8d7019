"""jinja2, for text that people read: never for our Kubernetes YAML, and user strings are values, never templates."""

from __future__ import annotations

import functools

import jinja2


@functools.cache
def environment() -> jinja2.Environment:
    """Return the one environment: strict about names, exact about white space."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("gpuplan.report"),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - the output is Markdown and plain text, not HTML
    )


def filled(template: str, **values: object) -> str:
    """Fill in a template of `gpuplan/report/templates/`."""
    return environment().get_template(template).render(**values)

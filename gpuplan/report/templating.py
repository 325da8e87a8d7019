"""jinja2, for text that people read: never for our Kubernetes YAML, and user strings are values, never templates."""

from __future__ import annotations

import functools
import re

import jinja2
from markupsafe import Markup, escape

from gpuplan.report.terminal import printable


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


@functools.cache
def page_environment() -> jinja2.Environment:
    """Return the environment of HTML pages: every value is escaped, whatever it holds."""
    made = environment().overlay(autoescape=True)
    made.filters |= {"words": _words, "lines": _lines}
    return made


def page(template: str, **values: object) -> str:
    """Fill in a template that makes HTML.

    The filter `words` shows what stands between backticks as code, `lines` keeps lines; neither lets a control through.
    """
    return page_environment().get_template(template).render(**values)


def _lines(text: str) -> str:
    return "\n".join(printable(line) for line in text.split("\n"))


_CODE = re.compile(r"`([^`]+)`")


def _words(text: str) -> Markup:
    escaped = str(escape(printable(text)))
    return Markup(_CODE.sub(r"<code>\1</code>", escaped))  # noqa: S704 - it is escaped

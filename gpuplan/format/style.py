"""A file to its text in the one style, or to what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplan.diagnostics import Diagnostics, Severity, Span
from gpuplan.format import findings
from gpuplan.format.proof import difference
from gpuplan.format.write import styled
from gpuplan.source.yamltext import parse_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Styled:
    """The text of a file in the one style; None where it cannot be had, for the reasons in `findings`."""

    text: str | None
    findings: Diagnostics


def in_style(file: str, text: str) -> Styled:
    r"""Return a text in the style of `gpuplan fmt`, proved to say what it said; `file` names it in findings.

    A text with errors is not touched: what it means is not known.

    >>> in_style("a.yaml", "teams:\n    nlp: {'weight':2}   # two\n").text
    'teams:\n  nlp: {weight: 2}    # two\n'
    """
    errors = tuple(one for one in parse_text(file, text).findings if one.severity is Severity.ERROR)
    if errors:
        return Styled(text=None, findings=errors)
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    made = _at_rest(plain)
    changed = difference(plain, made)
    if changed is None:
        return Styled(text=made, findings=())
    at = Span(file, 1, 1, 1, 1)
    summary = f"{file} is left as it is: written anew, it would not say the same ({changed})"
    return Styled(text=None, findings=(findings.UNPROVED.found(summary, at=at),))


_ROUNDS = 4
"""How often a text is laid out anew until it stays. Most do at once; a comment in an odd place takes a second look."""


def _at_rest(text: str) -> str:
    """Return the styled text that styling leaves as it is."""
    made = styled(text)
    for _ in range(_ROUNDS):
        again = styled(made)
        if again == made:
            break
        made = again
    return made

"""What the parser says, and how we say it: one table from libyaml's words to ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Our words for one complaint; `{char}` is the character at fault.

    `opening`: the fault lies where the construct began, not where the parser noticed it.
    """

    summary: str
    fix: str = ""
    opening: bool = False


_QUOTE: Final = Saying(summary="a quote that is never closed", fix="Close the quote.", opening=True)
_ESCAPE: Final = Saying(
    summary="an escape that YAML does not know, in double quotes",
    fix="Write \\\\ for a backslash, or use single quotes, in which a backslash is a backslash.",
)

SAYINGS: Final[dict[str, Saying]] = {
    "could not find expected ':'": Saying(
        summary="a line that is neither `key: value` nor part of the value above it",
        fix="Write `key: value`, or indent the line if it goes on with the value above.",
        opening=True,
    ),
    "block sequence entries are not allowed in this context": Saying(
        summary="a list item that cannot stand here", fix="Begin the list on its own line below the key."
    ),
    "mapping keys are not allowed in this context": Saying(summary="a `?` that cannot stand here", fix="Quote it."),
    "found unexpected end of stream": _QUOTE,
    "found unexpected document indicator": _QUOTE,
    "found unknown escape character": _ESCAPE,
    "did not find expected hexdecimal number": _ESCAPE,
    "found invalid Unicode character escape code": _ESCAPE,
    "found character that cannot start any token": Saying(
        summary="a value cannot begin with {char}",
        fix="Put the value in quotes: {char} has a meaning of its own in YAML.",
    ),
    "did not find expected alphabetic or numeric character": Saying(
        summary="{char} needs a name after it", fix="Put the value in quotes if you mean the sign itself.", opening=True
    ),
    "did not find expected comment or line break": Saying(
        summary="text where the line should end", fix="Begin the text of a block on the line below its `|` or `>`."
    ),
    "did not find expected key": Saying(
        summary="a line that does not line up with the mapping it belongs to",
        fix="Give all keys of one mapping the same indentation.",
    ),
    "did not find expected '-' indicator": Saying(
        summary="a line that does not line up with the list it belongs to",
        fix="Give all items of a list the same indentation, and indent what belongs to an item deeper than its `-`.",
    ),
    "did not find expected ',' or ']'": Saying(
        summary="a list `[` that is not closed", fix="Close it with `]`, and put a comma between items.", opening=True
    ),
    "did not find expected ',' or '}'": Saying(
        summary="a mapping `{` that is not closed",
        fix="Close it with `}`, and put a comma between entries.",
        opening=True,
    ),
    "did not find expected node content": Saying(
        summary="a value is missing before {char}", fix="Write the value, or put the sign in quotes."
    ),
    "did not find expected <document start>": Saying(
        summary="text that does not belong to the value before it",
        fix="Give it the indentation of its mapping, or begin a new document with `---`.",
    ),
    "found undefined tag handle": Saying(
        summary="a tag of a family that the document does not declare", fix="Remove the tag, or quote the `!`."
    ),
    "found incompatible YAML document": Saying(
        summary="a %YAML directive for a version that does not exist", fix="Remove the directive."
    ),
}

DIRECTIVE: Final = Saying(
    summary="a `%` line that is no directive of YAML", fix="Remove it; a fleet needs no directives."
)
SECOND_COLON: Final = Saying(
    summary="a second `: ` in the value of one line",
    fix="Put the value in quotes, or move the inner key to its own line.",
)
DEEPER_LINE: Final = Saying(
    summary="a key that is indented deeper than the mapping it belongs to",
    fix="Give all keys of one mapping the same indentation, and leave the key above empty if this line belongs to it.",
)
AFTER_VALUE: Final = Saying(
    summary="text after the end of a value",
    fix="Put the whole value in quotes; in single quotes a quote is written twice, as in 'it''s'.",
)
CUT_OFF: Final = Saying(
    summary="a bracket that is not closed before the document ends", fix="Close the bracket.", opening=True
)
TEMPLATE_FIX: Final = "A fleet has no template language: write the value out, or put the braces in quotes."

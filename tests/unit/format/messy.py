"""Data as YAML that nobody laid out with care: comments anywhere, any indentation, brackets and quotes at will."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

Choose = Callable[[Sequence[Any]], Any]
"""Takes one of several."""
COMMENTS = ("# why", "#", "# 'quoted' {x: 1}", "#no space", "# -- a: b", "# é ☂ #twice")
PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
NO_TEXT = ("null", "true", "false")
NEVER_TO_ONE_IN_NINE = (False,) * 9 + (True,)


@st.composite
def messy(draw: st.DrawFn, data: Any) -> str:
    """Return a mapping as one document of block YAML, in a way that shrinks."""
    return Mess(lambda several: draw(st.sampled_from(several))).document(data)


def messy_by(seed: int, data: Any) -> str:
    """Return a mapping as one document of block YAML; for data so large that drawing each detail takes too long."""
    return Mess(random.Random(seed).choice).document(data)


class Mess:
    """Writes data badly, as chance has it."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def document(self, data: dict[str, Any]) -> str:
        """Return a mapping as a document."""
        head = self._choose(("", "\n\n", "# top\n", "# top\n\n", "---\n", "--- # doc\n", "# before\n---\n"))
        tail = self._choose(("", "\n", "# end\n", "\n\n# end\n\n", "  # deep end\n"))
        text: str = head + self._entries(data, 0) + tail
        return text.replace("\n", "\r\n") if self._choose(NEVER_TO_ONE_IN_NINE) else text

    def _comment(self) -> str:
        return str(self._choose(COMMENTS))

    def _around(self, column: int) -> str:
        """Blank lines and comments before an entry at a column."""
        made = ""
        for _ in range(self._choose((0, 0, 0, 1, 2))):
            place = " " * self._choose((column, column, 0, column + 2, 1))
            made += self._choose(("\n", " \n", "\n\n", f"{place}{self._comment()}\n"))
        return made

    def _ending(self) -> str:
        spaces = " " * self._choose((1, 2, 7))
        return str(self._choose(("", "", "", " ", f"{spaces}{self._comment()}"))) + "\n"

    def _entries(self, data: dict[str, Any], column: int) -> str:
        return "".join(
            f"{self._around(column)}{' ' * column}{self._scalar(key)}:{self._value(value, column)}"
            for key, value in data.items()
        )

    def _value(self, value: Any, column: int) -> str:
        """Return what follows a key at a column, its line end included."""
        if (
            isinstance(value, str)
            and value.isprintable()
            and value.strip() == value != ""
            and self._choose(NEVER_TO_ONE_IN_NINE)
        ):
            return self._block_text(value, column)
        if not (isinstance(value, (dict, list)) and value and self._choose((True, False))):
            after = self._choose((" ", " ", "   ", f" {self._comment()}\n{' ' * (column + 3)}"))
            return str(after) + self._flow(value, column + 2) + self._ending()
        if isinstance(value, dict):
            return self._ending() + self._entries(value, column + self._choose((1, 2, 3, 4)))
        inner = column + self._choose((0, 2, 3))
        return self._ending() + "".join(self._item(item, inner) for item in value)

    def _block_text(self, value: str, column: int) -> str:
        sign, step = self._choose((("|-", 1), (">-", 4), ("|1-", 1), ("|2-", 2)))
        comment = self._choose(("", f"  {self._comment()}"))
        return f" {sign}{comment}\n{' ' * (column + step)}{value}\n{self._choose(('', chr(10)))}"

    def _item(self, item: Any, column: int) -> str:
        dash = self._around(column) + " " * column + "-"
        if not (isinstance(item, dict) and item and self._choose((True, False))):
            return dash + " " + self._flow(item, column + 2) + self._ending()
        gap = self._choose((1, 2, 3))
        entries = self._entries(item, column + 1 + gap)
        if self._choose((True, False)):
            return f"{dash}{' ' * gap}{entries.lstrip(chr(32) + chr(10))}"
        return dash + self._ending() + entries

    def _flow(self, value: Any, column: int) -> str:
        if not isinstance(value, (dict, list)):
            return self._scalar(value)
        if isinstance(value, dict):
            colon = self._choose((": ", ":  "))
            parts = [self._scalar(key) + colon + self._flow(below, column) for key, below in value.items()]
        else:
            parts = [self._flow(item, column) for item in value]
        pad = " " * column
        joint = self._choose((", ", ", ", ",", ", ", f",\n{pad}", f",  {self._comment()}\n{pad}"))
        end = self._choose(("", " ", "," if parts else "", f"\n{pad}"))
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return f"{opening}{self._choose(('', ' '))}{joint.join(parts)}{end}{closing}"

    def _scalar(self, value: Any) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        forms = [json.dumps(value, ensure_ascii=False)]
        if value.isprintable():
            forms.append("'" + value.replace("'", "''") + "'")
        if PLAIN.fullmatch(value) and value.casefold() not in NO_TEXT:
            forms += [value, value]
        return str(self._choose(forms))

"""Damage to texts, as editors, merges and generators do it."""

from __future__ import annotations

import random

SCRAPS = [
    *("---", "\n", "\r\n", "\t", " ", "  ", ": ", "- ", "? ", "{", "}", "[", "]", ",", "#", "&a ", "*a", "!", "!!int "),
    *("|", ">", "'", '"', "\\", "%", "@", "`", "<<: ", "{{", "}}", "${X}", "a", "0", "1e999", ".inf", "\x00", "\x85"),
    *("\u2028", "\ufeff", "é", "🎉", "...", "%YAML 1.1", "<<<<<<< ", "null", "~", "yes", "0777", "kind: List\n"),
    *("items: [[]]\n", "data: 5\n", '{"a": [1, {"b": null}]}', "x" * 300, "-1", "apiVersion: [v1]\n", "|2\n"),
]


def damaged(text: str, dice: random.Random) -> str:
    """Cut, double, swap and overwrite some of a text."""
    for _ in range(dice.randint(1, 5)):
        lines = text.split("\n")
        one, other = dice.randrange(len(lines)), dice.randrange(len(lines))
        at, width = dice.randrange(len(text) + 1), dice.randrange(20)
        match dice.randrange(7):
            case 0:
                text = text[:at]
            case 1:
                lines.insert(one, lines[other])
                text = "\n".join(lines)
            case 2:
                lines[one], lines[other] = lines[other], lines[one]
                text = "\n".join(lines)
            case 3:
                key, colon, _ = lines[one].partition(":")
                lines[one] = f"{key}{colon} {dice.choice(SCRAPS)}"
                text = "\n".join(lines)
            case 4:
                text = text[:at] + dice.choice(SCRAPS) + text[at + width :]
            case 5:
                lines[one] = " " * dice.randrange(4) + lines[one]
                text = "\n".join(lines)
            case _:
                del lines[one]
                text = "\n".join(lines)
    return text

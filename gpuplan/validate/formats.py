"""Names, label keys and label values as Kubernetes accepts them; each function says what is wrong, or nothing.

Source: k8s.io/apimachinery, `pkg/util/validation`.
"""

from __future__ import annotations

import functools
import re
from typing import Final

_DNS_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN: Final = re.compile(rf"{_DNS_LABEL.pattern}(\.{_DNS_LABEL.pattern})*")
_QUALIFIED: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_LETTERS: Final = "must be letters, digits, `-`, `_` and `.`, beginning and ending in a letter or digit"
_REMEMBERED: Final = 4096
"""Texts to remember the verdict of: the same labels stand on thousands of objects."""
LONGEST_NAME: Final = 253
LONGEST_LABEL: Final = 63


@functools.lru_cache(_REMEMBERED)
def dns_label(text: str) -> str:
    """Judge the name of a Namespace and of all that becomes a part of a host name."""
    if len(text) > LONGEST_LABEL:
        return f"has {len(text)} characters; {LONGEST_LABEL} are allowed"
    return (
        "" if _DNS_LABEL.fullmatch(text) else "must be lower-case letters, digits and `-`, beginning and ending in one"
    )


@functools.lru_cache(_REMEMBERED)
def dns_subdomain(text: str) -> str:
    """Judge the name of most objects."""
    if len(text) > LONGEST_NAME:
        return f"has {len(text)} characters; {LONGEST_NAME} are allowed"
    if _SUBDOMAIN.fullmatch(text):
        return ""
    return "must be lower-case letters, digits, `-` and `.`, each part beginning and ending in a letter or digit"


@functools.lru_cache(_REMEMBERED)
def label_key(text: str) -> str:
    """Judge the key of a label or taint, and the name of a resource: `name` or `example.com/name`."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return "has more than one `/`"
    if slash and not prefix:
        return "has nothing before its `/`"
    if slash and (wrong := dns_subdomain(prefix)):
        return f"has a part before its `/` that {wrong}"
    if not name:
        return "has no name" if not slash else "has nothing after its `/`"
    if len(name) > LONGEST_LABEL:
        return f"has a name of {len(name)} characters; {LONGEST_LABEL} are allowed"
    return (
        ""
        if _QUALIFIED.fullmatch(name)
        else "must be letters, digits, `-`, `_` and `.`, beginning and ending in a letter or digit"
    )


@functools.lru_cache(_REMEMBERED)
def label_value(text: str) -> str:
    """Judge the value of a label or taint; it may be empty."""
    if len(text) > LONGEST_LABEL:
        return f"has {len(text)} characters; {LONGEST_LABEL} are allowed"
    if not text or _QUALIFIED.fullmatch(text):
        return ""
    return _LETTERS

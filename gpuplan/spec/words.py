"""The words of messages about the shape of the spec: what a key takes, and what was written instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gpuplan.diagnostics import KeyPath
from gpuplan.spec.base import DNS_LABEL, DNS_SUBDOMAIN, LABEL_KEY, LABEL_VALUE
from gpuplan.words import in_a_row

TYPES: Final[Mapping[str, str]] = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
"""pydantic's error type -> what the key takes."""

MAPPINGS: Final = ("dict_type", "model_type", "model_attributes_type")
"""pydantic's error types for what is no mapping."""

BOOLS: Final[Mapping[str, str]] = {
    "true": "true",
    "yes": "true",
    "on": "true",
    "false": "false",
    "no": "false",
    "off": "false",
}
"""Words for yes and no, in lower case -> how the spec has them written."""

DRIVER_BRANCH: Final = r"^\d{3}$"
"""A driver branch; its releases begin with it and a point."""

MOVABLE: Final = r"^(clusters|cardTiers|nodePools|taskPools|teams)\.[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"
"""An entry of the spec that can get a new name."""

WISHES: Final[Mapping[str, str]] = {
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
    "quantity": "a quantity such as 90, 500m or 1536Gi",
    "objective": "a percentage from 50 to below 100 with three decimals at most, such as 99.5",
}
"""pydantic's error type -> what the value should be, with pydantic's own numbers filled in."""

FORMS: Final[Mapping[str, str]] = {
    DNS_LABEL: "a name of lower-case letters, digits and `-`, such as `team-a`",
    LABEL_KEY: "a key of a label, such as `example.com/pool`",
    LABEL_VALUE: "a value of a label: letters, digits, `-`, `_` and `.`, such as `pool-a`",
    f"^{DNS_SUBDOMAIN}$": "the name of an object: lower-case letters, digits, `-` and `.`, such as `team-a`",
    f"{DNS_LABEL[:-1]}/{DNS_SUBDOMAIN}$": "a namespace and a name, such as `vision/default-queue`",
    r"^v?\d+(\.\d+)*([-+.][0-9A-Za-z.-]+)?$": "a version, such as `1.36`",
    r"^[1-9]g\.\d+gb([+-][a-z.]+)?$": "a MIG profile, such as `1g.5gb`",
    MOVABLE: "a section and the name of an entry, such as `teams.nlp` (clusters, cardTiers, nodePools, taskPools or teams)",
    DRIVER_BRANCH: "a driver branch, such as `580`",
    r"^\d+(\.\d+)? [A-Z]{3}$": "a price, such as `2.40 USD`",
    r"^DCGM_(FI|EXP)_[A-Z0-9_]+$": "a field of DCGM, such as `DCGM_FI_DEV_GPU_UTIL`",
    r"^([01]\d|2[0-3]):[0-5]\d$": "a time of day, such as `09:00`",
    r"^https?://[^\s{}]+$": "an address, such as `http://prometheus.monitoring:9090`",
    r"^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$": "the name of a Secret, such as `slack-webhook`",
    r"^[-._a-zA-Z0-9]+$": "a key of a Secret, such as `routing-key`",
    r"^[A-Za-z0-9.-]+:\d{1,5}$": "a host and a port, such as `mail.acme.example:587`",
    r"^[^@\s]+@[^@\s]+$": "an address for mail, such as `gpu@acme.example`",
    r"^\d{4}-\d{2}-\d{2}$": "a date, such as `2027-06-30`",
    r"^[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$": "the type of a node's condition, such as `GpuHealthy`",
    r"^[a-z]+/[a-z0-9-]+$": "the id of a finding, such as `quota/unallocated`",
}
"""Patterns of the spec's texts -> what they mean."""


def form(pattern: str) -> str:
    """Return what a pattern asks for, in words where we have them."""
    return FORMS.get(pattern, f"a text that matches `{pattern}`")


def place(path: KeyPath) -> str:
    """Return a path as messages show it."""
    return "the spec" if not path else "`" + ".".join(str(segment) for segment in path) + "`"


def said(value: object, text: str = "") -> str:
    """Return a value in words; `text` is how a scalar is written, such as `1.30`, where that is known."""
    match value:
        case None:
            return "nothing (write `{}` for an empty mapping)"
        case dict():
            return "a mapping"
        case list():
            return "a list" if value else "an empty list"
        case bool():
            return f"`{str(value).lower()}`"
        case str():
            return f"the text `{value}`" if value else "an empty text"
        case _:
            return f"`{text or value}`"


def listed(names: Iterable[str], joined: str = "or") -> str:
    """Return names as `a`, `b` or `c`."""
    return in_a_row([f"`{name}`" for name in names], joined) or "no keys"

"""YAML for people: a mapping or list that fits on its line stands there, in braces or brackets.

The values are spelled as `manifests.write` spells them; what is long is written in blocks like there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.manifests.write import quoted, yaml_text

WIDTH = 120
"""Columns that a line has."""


def compact_text(value: Mapping[str, object], indent: str = "") -> str:
    """Return a mapping as YAML, each line beginning with `indent`.

    >>> print(compact_text({"pool": {"nodes": 4, "taints": [{"key": "gpu", "effect": "NoSchedule"}]}}), end="")
    pool: {nodes: 4, taints: [{key: gpu, effect: NoSchedule}]}
    """
    return "".join(f"{line}\n" for line in _mapping(value, indent))


def _mapping(value: Mapping[str, object], pad: str) -> Iterator[str]:
    for key, inner in value.items():
        yield from _entry(pad + _plain(key) + ":", inner, pad)


def _entry(lead: str, value: object, pad: str) -> Iterator[str]:
    flow = _flow(value)
    if not _is_filled(value) or len(lead) + 1 + len(flow) <= WIDTH:
        yield from _scalar(lead, value, flow, pad)
    elif isinstance(value, Mapping):
        yield lead
        yield from _mapping(value, pad + "  ")
    elif isinstance(value, Sequence):
        yield lead
        for item in value:
            yield from _item(item, pad)


def _scalar(lead: str, value: object, flow: str, pad: str) -> Iterator[str]:
    """Yield what is no filled collection, or fits on the line; a text of several lines becomes a block."""
    if isinstance(value, str) and "\n" in value:
        first, *rest = yaml_text({"x": value}).splitlines()
        yield f"{lead} {first.partition(': ')[2]}"
        yield from (pad + line if line else "" for line in rest)
    else:
        yield f"{lead} {flow}"


def _item(item: object, pad: str) -> Iterator[str]:
    flow = _flow(item)
    if len(pad) + 2 + len(flow) <= WIDTH or not isinstance(item, Mapping):
        yield f"{pad}- {flow}"
        return
    lines = list(_mapping(item, pad + "  "))
    yield f"{pad}- {lines[0].lstrip()}"
    yield from lines[1:]


def _flow(value: object) -> str:
    """Return a value on one line."""
    if isinstance(value, Mapping) and value:
        return "{" + ", ".join(f"{_plain(key)}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if _is_filled(value) and isinstance(value, Sequence):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, str) and "\n" in value:
        return quoted(value)
    return yaml_text(value).removesuffix("\n")


def _is_filled(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple) and bool(value)

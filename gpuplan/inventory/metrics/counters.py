r"""dcgm-exporter's list of counters, read as the exporter reads it: Go's encoding/csv with `#` for comments, then three fields.

Source: NVIDIA/dcgm-exporter internal/pkg/counters (ReadCSVFile, ExtractCounters): a comment's `#` is the first character of its
line, spaces are trimmed from fields only after the quotes were read, every record has as many fields as the first, and three.
Any fault ends the program at its start.

>>> [(one.name, one.type, one.line) for one in read("# a\nA , gauge, x\nB,counter,\"y, z\"").records]
[('A', 'gauge', 2), ('B', 'counter', 3)]
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

FIELDS = 3


class FaultKind(enum.Enum):
    """Why a record cannot be read."""

    FIELD_COUNT = "field-count"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Record:
    """One counter. `number` and `line` count from 1, comments and empty lines being no records but lines."""

    number: int
    line: int
    name: str
    type: str
    help: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A record that stops the exporter; `fields` are what it was split into."""

    kind: FaultKind
    number: int
    line: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CounterList:
    """A list: its sound records and its faults. What follows a fault is read as if it were not there."""

    records: tuple[Record, ...]
    faults: tuple[Fault, ...]


class _QuoteError(Exception):
    """A quote where none may stand, or one that nothing closes."""


def read(text: str) -> CounterList:
    """Read the text of a list."""
    records: list[Record] = []
    faults: list[Fault] = []
    for number, (line, source) in enumerate(_sources(text), 1):
        try:
            fields = tuple(field.strip(" ") for field in _fields(source))
        except _QuoteError:
            faults.append(Fault(FaultKind.QUOTE, number, line, (source.strip(),)))
            continue
        if len(fields) == FIELDS:
            records.append(Record(number, line, *fields))
        else:
            faults.append(Fault(FaultKind.FIELD_COUNT, number, line, fields))
    return CounterList(tuple(records), tuple(faults))


def _sources(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each record; a quoted field may go over lines."""
    pending, begun = "", 0
    for line, source in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if not pending and (not source or source.startswith("#")):
            continue
        begun = begun if pending else line
        pending = f"{pending}\n{source}" if pending else source
        if not _open(pending):
            yield begun, pending
            pending = ""
    if pending:
        first, *rest = pending.split("\n")
        yield begun, first
        yield from ((begun + 1 + index, one) for index, one in enumerate(rest) if one and not one.startswith("#"))


def _open(source: str) -> bool:
    """Tell whether a quoted field is still open at the end."""
    at, quoted = 0, False
    while at < len(source):
        if quoted:
            if source[at] == '"':
                if source[at + 1 : at + 2] == '"':
                    at += 1
                else:
                    quoted = False
        elif source[at] == '"' and (at == 0 or source[at - 1] == ","):
            quoted = True
        at += 1
    return quoted


def _fields(source: str) -> Iterator[str]:
    rest: str | None = source
    while rest is not None:
        rest, field = _quoted(rest) if rest.startswith('"') else _plain(rest)
        yield field


def _plain(rest: str) -> tuple[str | None, str]:
    field, comma, after = rest.partition(",")
    if '"' in field:
        raise _QuoteError
    return (after if comma else None), field


def _quoted(rest: str) -> tuple[str | None, str]:
    field, at = "", 1
    while True:
        end = rest.find('"', at)
        if end < 0:
            raise _QuoteError
        field += rest[at:end]
        after = rest[end + 1 : end + 2]
        if after == '"':
            field, at = field + '"', end + 2
        elif after == ",":
            return rest[end + 2 :], field
        elif not after:
            return None, field
        else:
            raise _QuoteError

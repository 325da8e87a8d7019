"""What a Prometheus says, as data: numbers with their labels, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

ProblemKind = Literal["unreachable", "timeout", "refused", "nonsense"]
INFO = "PromQL info"
"""How a note of Prometheus on a query begins; before 3.0 it stands among the warnings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why there is no answer: one line without a period, and what to try.

    `unreachable`: no connection (name, network, TLS, credentials that cannot be read). `timeout`: it was asked and did not
    answer in time. `refused`: it answered with an error; `status` is HTTP's. `nonsense`: what came is no answer of this API.
    """

    kind: ProblemKind
    summary: str
    fix: str = ""
    status: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One number: the value as the server wrote it, exactly, and when it was, in seconds since 1970."""

    labels: Mapping[str, str]
    value: Decimal
    at: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A series over a stretch of time: (seconds since 1970, value), in order."""

    labels: Mapping[str, str]
    points: tuple[tuple[Decimal, Decimal], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What came with an answer. `warnings` are the server's own words."""

    warnings: tuple[str, ...] = ()
    partial: bool = False
    """Whether something may be missing: Thanos (`warnings`), Mimir and VictoriaMetrics (`isPartial`) answer with what
    they have where a store is away. Any warning counts: who acts on numbers must not act on half of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Said):
    """The answer to an instant query, one sample a series. A scalar is a sample without labels."""

    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves(Said):
    """The answer to a range query."""

    curves: tuple[Curve, ...] = ()


class NonsenseError(Exception):
    """What came is no answer of Prometheus' API; for `cluster` alone, which makes a `Problem` of it."""


def answer(payload: Any) -> Answer:
    """Read the answer to an instant query. Raises NonsenseError."""
    kind, result = _result(payload)
    said = _said(payload)
    try:
        if kind == "scalar":
            rows = [{"metric": {}, "value": result}]
        elif kind == "vector":
            rows = result
        else:
            raise NonsenseError(f"a {kind} where a vector was asked for")
        samples = tuple(
            Sample(labels=dict(row["metric"]), value=Decimal(row["value"][1]), at=_seconds(row["value"][0]))
            for row in rows
        )
    except (KeyError, IndexError, TypeError, ValueError, InvalidOperation) as error:
        raise NonsenseError("a vector whose samples cannot be read") from error
    return Answer(samples=samples, warnings=said.warnings, partial=said.partial)


def curves(payload: Any) -> Curves:
    """Read the answer to a range query. Raises NonsenseError."""
    kind, result = _result(payload)
    said = _said(payload)
    if kind != "matrix":
        raise NonsenseError(f"a {kind} where a matrix was asked for")
    try:
        made = tuple(
            Curve(
                labels=dict(row["metric"]),
                points=tuple((_seconds(at), Decimal(value)) for at, value in row["values"]),
            )
            for row in result
        )
    except (KeyError, TypeError, ValueError, InvalidOperation) as error:
        raise NonsenseError("a matrix whose samples cannot be read") from error
    return Curves(curves=made, warnings=said.warnings, partial=said.partial)


def names(payload: Any) -> tuple[str, ...]:
    """Read a list of names. Raises NonsenseError."""
    found = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise NonsenseError("JSON without a list of names")
    return tuple(sorted(found))


def mapping(payload: Any) -> Mapping[str, Any]:
    """Read an answer whose data is a mapping. Raises NonsenseError."""
    found = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(found, dict):
        raise NonsenseError("JSON without a mapping of data")
    return found


def error_text(payload: Any) -> str:
    """Return the server's own words on an error, empty where there are none."""
    if isinstance(payload, dict):
        words = payload.get("error") or payload.get("message") or ""
        return words if isinstance(words, str) else ""
    return ""


def _seconds(written: Any) -> Decimal:
    """Return a time; it is a JSON number, of which a float keeps milliseconds exactly enough."""
    return Decimal(str(written))


def _result(payload: Any) -> tuple[str, Any]:
    if not isinstance(payload, dict) or payload.get("status") != "success":
        raise NonsenseError("JSON that says nothing of success")
    data = payload.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("result"), list):
        raise NonsenseError("JSON without a result")
    return str(data.get("resultType")), data["result"]


def _said(payload: Any) -> Said:
    written = payload.get("warnings") or []
    words = written if isinstance(written, list) else [written]
    warnings = tuple(str(word) for word in words if not str(word).startswith(INFO))
    return Said(warnings=warnings, partial=bool(warnings) or payload.get("isPartial") is True)

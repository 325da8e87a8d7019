"""Times as annotations and objects hold them."""

from __future__ import annotations

import datetime


def written(at: datetime.datetime) -> str:
    """Return a time as Kubernetes writes it, to the second.

    >>> written(datetime.datetime(2026, 11, 30, 14, 5, 9, 7, tzinfo=datetime.UTC))
    '2026-11-30T14:05:09Z'
    """
    return at.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read(text: str) -> datetime.datetime | None:
    """Return the time that a text holds, None where it holds none or one without a zone.

    >>> read("2026-11-30T14:05:09Z")
    datetime.datetime(2026, 11, 30, 14, 5, 9, tzinfo=datetime.timezone.utc)
    >>> read("soon")
    """
    try:
        at = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None

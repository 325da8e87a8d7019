"""Times as annotations and objects hold them."""

from __future__ import annotations

import datetime


def written(at: datetime.datetime) -> str:
    """Return a time as Kubernetes writes it, to the second.

    >>> written(datetime.datetime(2026, 11, 30, 14, 5, 9, 7, tzinfo=datetime.UTC))
    '2026-11-30T14:05:09Z'
    """
    return f"{at.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def read(text: str) -> datetime.datetime | None:
    """Return the time that a text holds, in UTC; None where it holds none, one without a zone or none that UTC has.

    >>> read("2026-11-30T14:05:09Z")
    datetime.datetime(2026, 11, 30, 14, 5, 9, tzinfo=datetime.timezone.utc)
    >>> read("soon")
    """
    try:
        at = datetime.datetime.fromisoformat(text)
        return at.astimezone(datetime.UTC) if at.tzinfo else None
    except (ValueError, OverflowError):
        return None

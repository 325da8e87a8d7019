"""A client of Alertmanager's API v2, for telling it of alerts directly."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass

import urllib3

from gpuplan.cluster.access import Address

PATIENCE_SECONDS = 10.0
TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """An alert: firing from `since` until `until` unless it is sent again; resolved where that has passed."""

    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    since: datetime.datetime
    until: datetime.datetime


class Alertmanager:
    """One Alertmanager, by the address that its own paths stand behind. What is said of it names no password."""

    def __init__(self, where: Address) -> None:
        self.away = False
        """Whether it did not answer when it was last sent something."""
        self._url = where.url
        named = bool(where.user or where.password)
        self._headers = urllib3.make_headers(basic_auth=f"{where.user}:{where.password}") if named else {}
        # An alert is a state: sending it twice is the same as once.
        retry = urllib3.Retry(total=TRIES, backoff_factor=0.2, allowed_methods=None, status_forcelist=(502, 503, 504))
        self._pool = urllib3.PoolManager(retries=retry, timeout=PATIENCE_SECONDS)

    def post(self, notice: Notice) -> str:
        """Send an alert; return why it could not be, empty where it was taken."""
        alert = {
            "labels": {name: value for name, value in notice.labels.items() if value},
            "annotations": dict(notice.annotations),
            "startsAt": notice.since.isoformat(),
            "endsAt": notice.until.isoformat(),
        }
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            answer = self._pool.request("POST", f"{self._url}/api/v2/alerts", body=json.dumps([alert]), headers=headers)
        except urllib3.exceptions.HTTPError as error:
            self.away = True
            return f"Alertmanager at {self._url} cannot be reached: {getattr(error, 'reason', None) or error}"
        self.away = False
        if answer.status >= 300:
            return f"Alertmanager at {self._url} refused an alert: {answer.status} {answer.data[:200].decode(errors='replace')}"
        return ""

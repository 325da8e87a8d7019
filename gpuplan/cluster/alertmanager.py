"""A client of Alertmanager's API v2: telling it of alerts directly, and asking what it does with them."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Literal, Self

import requests
import urllib3

from gpuplan.cluster import failures
from gpuplan.cluster.access import Access, Address
from gpuplan.cluster.answers import Problem
from gpuplan.cluster.session import Session, retry

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


READS = Literal["alerts", "silences", "status"]
"""Pages of its API that are asked for."""
NO_API = "Look for the prefix before /api/v2: --web.route-prefix, or /alertmanager in Mimir."


class AlertmanagerStatus:
    """One Alertmanager that is asked, and told nothing. Nothing is raised for what a server or a network does."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._session = Session(access)
        self._session.mount(access.url, requests.adapters.HTTPAdapter(max_retries=retry(access.tries)))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session.close()

    @property
    def url(self) -> str:
        """The address, without secrets."""
        return self._access.url

    def get(self, what: READS) -> Any | Problem:
        """Return what a page says: a mapping of `status`, a list of the others."""
        try:
            answer = self._session.get(f"{self._access.url}/api/v2/{what}", headers=dict(self._access.headers))
            if answer.status_code != HTTPStatus.OK:
                return self._refused(answer)
            said = answer.json()
        except (
            ValueError
        ) as error:  # of JSON; requests' own errors of addresses are no case, since the address was read
            return self._nonsense("") or failures.unreachable(self._access, error)
        except requests.RequestException as error:
            return failures.unreachable(self._access, error)
        except OSError as error:
            return failures.unreadable(error)
        fits = isinstance(said, dict if what == "status" else list)
        return said if fits else self._nonsense(f"JSON that is no page of {what}")

    def _refused(self, answer: requests.Response) -> Problem:
        html = "html" in answer.headers.get("Content-Type", "")
        problem = failures.refused(self._access, answer, "" if html else answer.text)
        return dataclasses.replace(problem, fix=NO_API) if answer.status_code == HTTPStatus.NOT_FOUND else problem

    def _nonsense(self, why: str) -> Problem | None:
        return failures.nonsense(self._access, self._session.last, why, "Alertmanager's API")

"""How servers of Prometheus' family are asked over HTTP: who asks, how long to wait, when to ask again."""

from __future__ import annotations

from typing import Any

import requests
from urllib3.util import Retry

from gpuplan.cluster.access import Access

AGAIN = (429, 502, 503, 504)
"""Answers that say `not now`. Prometheus says 503 while it reads its log after a start."""
LONGEST_PAUSE = 10
"""Seconds between two tries at most, whatever the server asks for."""


class Session(requests.Session):
    """A session that keeps the last response: libraries give out its numbers, but not its warnings nor its errors."""

    def __init__(self, access: Access) -> None:
        super().__init__()
        self.last: requests.Response | None = None
        self.verify = str(access.ca_file) if access.ca_file else True
        self._patience = (access.connect_timeout, access.timeout)
        if access.token or access.token_file or access.user or access.password:
            self.auth = _Authorization(access)

    def send(self, request: requests.PreparedRequest, **more: Any) -> requests.Response:
        """Ask, and keep the response. The pair of timeouts tells a server that is away sooner than one that thinks."""
        self.last = None
        self.last = super().send(request, **{**more, "timeout": self._patience})
        return self.last


class _Authorization(requests.auth.AuthBase):
    """Says who asks. Being there, it also keeps requests from taking somebody else from ~/.netrc."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = self._access.authorization()
        return request


def retry(tries: int) -> Retry:
    """Return when to ask again. A query that took too long once would do so again: reads are tried once."""
    return Retry(
        total=tries - 1,
        read=False,
        status_forcelist=AGAIN,
        backoff_factor=0.5,
        backoff_max=LONGEST_PAUSE,
        retry_after_max=LONGEST_PAUSE,
        raise_on_status=False,
    )

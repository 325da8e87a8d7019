"""A client of Prometheus' HTTP API, for Prometheus, Thanos, Mimir and VictoriaMetrics.

    from gpuplan.cluster.prometheus import Access, Answer, Problem, Prometheus

    with Prometheus(Access(url="http://prometheus.monitoring:9090")) as server:
        found = server.instant("gpuplan:pod_gpu_idle:bool == 1")
        if isinstance(found, Problem):   # unreachable, refused, too slow, or no Prometheus: found.summary and found.fix say so
            ...
        elif found.partial:              # a store behind it was away: what is missing is unknown, so act on nothing
            ...
        else:
            for sample in found.samples: # sample.labels, sample.value (an exact Decimal, perhaps NaN), sample.at
                ...

Nothing is raised for what a server or a network does. Ctrl-C passes through, also between two tries.
Connections, 429, 502, 503 and 504 are tried again; an error that a query earns is not.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

import requests
from prometheus_api_client.exceptions import PrometheusApiClientException
from prometheus_api_client.prometheus_connect import PrometheusConnect
from urllib3.util import Retry

from gpuplan.cluster import answers, failures
from gpuplan.cluster.access import Access, Address, address
from gpuplan.cluster.answers import Answer, Curve, Curves, Problem, Sample

__all__ = ["Access", "Address", "Answer", "Curve", "Curves", "Problem", "Prometheus", "Sample", "address"]

AGAIN = (429, 502, 503, 504)
"""Answers that say `not now`. Prometheus says 503 while it reads its log after a start."""
LONGEST_PAUSE = 10
"""Seconds between two tries at most, whatever the server asks for."""

T = TypeVar("T")


class _Session(requests.Session):
    """A session that keeps the last response: the library gives out its numbers, but not its warnings nor its errors."""

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


class Prometheus:
    """One server. Not for use by several threads at once."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._session = _Session(access)
        self._library = PrometheusConnect(
            url=access.url, headers=dict(access.headers), session=self._session, retry=_retry(access.tries)
        )

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

    def instant(self, query: str, at: datetime.datetime | None = None) -> Answer | Problem:
        """Evaluate a query at one time (to the millisecond; the server's now unless given). Its result is a vector or scalar."""
        params = self._params() | ({} if at is None else {"time": f"{at.timestamp():.3f}"})
        return self._asked(lambda: self._library.custom_query(query, params=params), answers.answer)

    def curves(
        self, query: str, start: datetime.datetime, end: datetime.datetime, step: datetime.timedelta
    ) -> Curves | Problem:
        """Evaluate a query at `start`, `start + step` … `end`, all to the second. Prometheus gives at most 11,000 points."""
        every = f"{step.total_seconds():g}"
        return self._asked(
            lambda: self._library.custom_query_range(query, start, end, every, params=self._params()), answers.curves
        )

    def label_values(
        self, label: str, match: str, start: datetime.datetime, end: datetime.datetime
    ) -> tuple[str, ...] | Problem:
        """Return the values that a label of matching series had in a stretch of time, sorted. It asks the index alone."""
        params = {"match[]": match, "start": f"{start.timestamp():.3f}", "end": f"{end.timestamp():.3f}"}
        return self._asked(lambda: self._library.get_label_values(label, params), answers.names)

    def _params(self) -> dict[str, str]:
        """Return what goes with each query: the server is to give up when we do."""
        return {"timeout": f"{self._access.timeout:g}s"}

    def _asked(self, call: Callable[[], Any], read: Callable[[Any], T]) -> T | Problem:
        try:
            call()
            return read(self._payload())
        except PrometheusApiClientException:
            return failures.refused(self._access, self._response(), self._words())
        except (answers.NonsenseError, ValueError, KeyError, TypeError) as error:
            why = str(error) if isinstance(error, answers.NonsenseError) else ""
            return failures.nonsense(self._access, self._session.last, why) or failures.unreachable(self._access, error)
        except requests.RequestException as error:
            return failures.unreachable(self._access, error)
        except OSError as error:
            return failures.unreadable(error)

    def _response(self) -> requests.Response:
        if self._session.last is None:
            raise AssertionError("the library refuses only what a response says")
        return self._session.last

    def _payload(self) -> Any:
        return self._response().json()

    def _words(self) -> str:
        """Return what the server says of its error: by the API's rules, else the start of the text."""
        try:
            return answers.error_text(self._payload())
        except ValueError:
            return "" if "html" in self._response().headers.get("Content-Type", "") else self._response().text


def _retry(tries: int) -> Retry:
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

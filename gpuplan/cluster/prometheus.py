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
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import requests
from prometheus_api_client.exceptions import PrometheusApiClientException
from prometheus_api_client.prometheus_connect import PrometheusConnect

from gpuplan.cluster import answers, failures
from gpuplan.cluster.access import Access, Address, address
from gpuplan.cluster.answers import Answer, Curve, Curves, Problem, Sample
from gpuplan.cluster.session import Session, retry

__all__ = ["Access", "Address", "Answer", "Curve", "Curves", "Problem", "Prometheus", "Sample", "address"]

T = TypeVar("T")


READS = Literal["alertmanagers", "rules", "targets"]
"""Pages of the API that say how a Prometheus is set up; what only stores samples (Mimir, Thanos) may lack some."""


class Prometheus:
    """One server. Not for use by several threads at once."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._session = Session(access)
        self._library = PrometheusConnect(
            url=access.url, headers=dict(access.headers), session=self._session, retry=retry(access.tries)
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

    def setup(self, what: READS) -> Mapping[str, Any] | Problem:
        """Return the `data` of a page that says how the server is set up; only targets that are scraped, not dropped ones."""
        params = {"state": "active"} if what == "targets" else {}
        url = f"{self._access.url}/api/v1/{what}"

        def call() -> None:
            headers = dict(self._access.headers)
            if self._session.get(url, params=params, headers=headers).status_code != HTTPStatus.OK:
                raise PrometheusApiClientException

        return self._asked(call, answers.mapping)

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

"""What the reclaimer says of itself to Prometheus, by Prometheus' own client library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server

from gpuplan.model import reclaim_metrics as names

Labels = tuple[str, ...]


class ReclaimMetrics:
    """The metrics of one reclaimer; `serve` gives them out."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.reclaimed = Counter(
            names.RECLAIMED_TOTAL,
            "Workloads that lost their GPUs, by the reason of a closed list",
            names.RECLAIMED_LABELS,
            registry=self.registry,
        )
        self.candidates = self._gauge(
            names.CANDIDATES, "Work with GPUs, by what is said of it", names.CANDIDATES_LABELS
        )
        self.idle = self._gauge(names.IDLE, "1 for each piece of work that is idle", names.IDLE_LABELS)
        self.last_success = self._gauge(names.LAST_SUCCESS, "When all servers last answered in full")
        self.circuit_open = self._gauge(names.CIRCUIT_OPEN, "1 while too much seems idle to believe it")
        self.dry_run = self._gauge(names.DRY_RUN, "1 where nothing is suspended")

    def _gauge(self, name: str, says: str, labels: Labels = ()) -> Gauge:
        return Gauge(name, says, labels, registry=self.registry)

    def serve(self, address: str, port: int) -> int:
        """Give the metrics out over HTTP from a thread of their own; return the port. Raises OSError where it is taken."""
        server, _ = start_http_server(port, addr=address, registry=self.registry)
        return int(server.server_port)

    def begin(self, rows: Iterable[Labels]) -> None:
        """Start counters at 0, so that the first increase of each is seen as one. A row is (namespace, kind, reason)."""
        for row in rows:
            self.reclaimed.labels(*row)

    def look(self, counts: Mapping[str, int], idle: Iterable[Labels], *, circuit_open: bool) -> None:
        """Take over what a look has seen: work by verdict, and a row of labels for each that is idle."""
        for verdict, count in counts.items():
            self.candidates.labels(verdict).set(count)
        self.idle.clear()
        for row in idle:
            self.idle.labels(*row).set(1)
        self.circuit_open.set(int(circuit_open))

"""The servers that tests ask: started once, with the two days of `spring`."""

from __future__ import annotations

import shutil
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.waiting import wait_for
from tests.prometheus import spring
from tests.prometheus.bed import Bed, backfilled, bed, is_ready, open_metrics


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """A bed for the session."""
    with bed(tmp_path_factory.mktemp("prometheus") / "bed") as made:
        yield made


@pytest.fixture(scope="session")
def spring_text() -> str:
    """The samples of the two days."""
    return open_metrics(spring.lines(), [spring.GAP])


@pytest.fixture(scope="session")
def spring_data(servers: Bed, promtool: Path, spring_text: str) -> Path:
    """Blocks of the two days; a server takes a copy."""
    return backfilled(promtool, spring_text, servers.folder / "spring")


@pytest.fixture(scope="session")
def spring_urls(servers: Bed, prometheuses: tuple[Path, ...], spring_data: Path) -> tuple[str, ...]:
    """The newest and the oldest Prometheus, with the same data."""
    urls = []
    for name, binary in zip(("new", "old"), prometheuses, strict=True):
        data = servers.folder / f"spring-{name}"
        shutil.copytree(spring_data, data)
        urls.append(servers.prometheus(binary, data, name=name))
    return tuple(urls)


@pytest.fixture(scope="session")
def spring_url(spring_urls: tuple[str, ...]) -> str:
    """One of them."""
    return spring_urls[0]


@pytest.fixture(scope="session")
def victoria_url(servers: Bed, victoriametrics: Path, spring_text: str) -> str:
    """VictoriaMetrics with the same data, below the prefix that its cluster version has."""
    port = servers.port()
    url = f"http://127.0.0.1:{port}/select/0/prometheus"
    servers.start(
        victoriametrics,
        f"-httpListenAddr=127.0.0.1:{port}",
        f"-storageDataPath={servers.folder / 'victoria'}",
        "-retentionPeriod=100y",
        "-http.pathPrefix=/select/0",
        ready=f"http://127.0.0.1:{port}/select/0/health",
        name="victoria",
    )
    milliseconds = "\n".join(f"{line}000" for line in spring_text.splitlines() if not line.startswith("#"))
    base = f"http://127.0.0.1:{port}/select/0"
    with urllib.request.urlopen(f"{base}/api/v1/import/prometheus", data=milliseconds.encode()):
        pass
    with urllib.request.urlopen(f"{base}/internal/force_flush"):
        pass
    wait_for(lambda: is_ready(f"{url}/api/v1/query?query=1"), 10, what="VictoriaMetrics answers")
    time.sleep(1)  # samples are found a moment after the flush
    return url

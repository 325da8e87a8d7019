"""A real Prometheus over blocks of the past: samples go in by promtool, answers come out by its API."""

from __future__ import annotations

import contextlib
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.pictures.samples import END, START, Values
from tests.prometheus.bed import Bed, write_blocks

PATIENCE = 10.0
BLOCK = "54h"
"""Samples of a day are written as one block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One series of an answer: its labels, and a value for each step of the day, NaN where there is none."""

    labels: Mapping[str, str]
    values: Values


class Api:
    """The API of a Prometheus that runs."""

    def __init__(self, url: str) -> None:
        self._url = url

    def over_the_day(self, expr: str, step: int) -> list[Answer]:
        """Ask for an expression over the day, every `step` seconds, sorted by labels. Raises `AssertionError`."""
        asked = urllib.parse.urlencode({"query": expr, "start": START, "end": END - 60, "step": step}).encode()
        try:
            with urllib.request.urlopen(f"{self._url}/api/v1/query_range", asked, timeout=120) as response:
                found = json.load(response)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expr}\n{error.read().decode()}") from error
        made = [Answer(labels=one["metric"], values=_on_grid(one["values"], step)) for one in found]
        return sorted(made, key=lambda answer: sorted(answer.labels.items()))


def _on_grid(values: list[tuple[float, str]], step: int) -> Values:
    made = np.full((END - 60 - START) // step + 1, np.nan)
    for time, text in values:
        made[round((time - START) / step)] = float(text)
    return made


class Store:
    """The blocks of one Prometheus, which is started anew whenever there are more."""

    def __init__(self, bed: Bed, promtool: Path, prometheus: Path) -> None:
        self._bed = bed
        self._promtool, self._prometheus = promtool, prometheus
        self._data = bed.folder / "data"
        self._data.mkdir()
        self._config = bed.folder / "prometheus.yml"
        self._config.write_text("{}\n", encoding="utf-8")

    def write(self, lines: Iterable[str]) -> None:
        """Write the lines of an OpenMetrics file as blocks."""
        source = self._bed.folder / "samples.om"
        with source.open("w", encoding="utf-8") as file:
            file.writelines(lines)
        write_blocks(self._promtool, source, self._data, f"--max-block-duration={BLOCK}")
        source.unlink()

    @contextlib.contextmanager
    def running(self) -> Iterator[Api]:
        """Run Prometheus over what has been written so far."""
        port = self._bed.port()
        process = self._bed.start(
            self._prometheus,
            f"--config.file={self._config}",
            f"--storage.tsdb.path={self._data}",
            "--storage.tsdb.retention.time=100y",
            "--no-storage.tsdb.allow-overlapping-compaction",
            f"--web.listen-address=127.0.0.1:{port}",
            ready=f"http://127.0.0.1:{port}/-/ready",
            name="prometheus",
        )
        try:
            yield Api(f"http://127.0.0.1:{port}")
        finally:
            process.stop(PATIENCE)

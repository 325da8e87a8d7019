"""Draw the dashboards of the example fleet, or tell which pictures no longer show theirs."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpuplan import pipeline
from gpuplan.emit import dashboards
from gpuplan.emit.monitoring import publish
from gpuplan.model.fleet import Cluster, Fleet
from tests.controlplane.toolchain import tool_path
from tests.pictures import business, cards, kube, queues
from tests.pictures.day import day
from tests.pictures.draw import picture, stamp
from tests.pictures.evaluate import evaluate, names
from tests.pictures.samples import WEEK, Samples
from tests.pictures.store import Api, Store
from tests.prometheus.bed import bed

FLEET = Path("fleet")
FOLDER = Path("docs/dashboards")
CLUSTER = "prod-eu"
TODAY = datetime.date(2026, 11, 30)
Json = dict[str, Any]


def example() -> tuple[Fleet, Cluster]:
    """Return the example fleet and the cluster that is drawn. Raises `SystemExit` where something is wrong with it."""
    fleet = pipeline.check(FLEET, TODAY).fleet
    if fleet is None:
        raise SystemExit(f"{FLEET} has errors: run gpuplan check")
    return fleet, next(cluster for cluster in fleet.clusters if cluster.name == CLUSTER)


def boards(fleet: Fleet, cluster: Cluster) -> dict[str, Json]:
    """Return the dashboards of a cluster by key."""
    made = dashboards.emit(fleet, cluster, tuple(publish.groups(fleet, cluster)))
    texts = [text for config in made for text in config.object["data"].items()]  # type: ignore[attr-defined]  # a ConfigMap
    return {name.removeprefix("gpuplan-dashboard-").partition("-")[0]: json.loads(text) for name, text in texts}


def chosen(cluster: Cluster) -> dict[str, dict[str, str]]:
    """Return what is chosen in each dashboard: a team, and two nodes, or there would be too much to see."""
    first, last = cluster.pools[0], cluster.pools[-1]
    return {
        "team": {"team": "nlp"},
        "node": {"node": f"{first.name}-01|{last.name}-01"},
    }


@contextmanager
def prometheus(fleet: Fleet, cluster: Cluster) -> Iterator[tuple[Api, set[str]]]:
    """Run a Prometheus that holds the day, and tell which alerts fired."""
    groups = tuple(publish.groups(fleet, cluster))
    asked = [rule["expr"] for group in groups for rule in group.records]
    asked += [alert.expr for group in groups for alert in group.alerts]
    asked += [target["expr"] for board in boards(fleet, cluster).values() for target in _targets(board)]
    samples, today = Samples(set().union(*map(names, asked))), day(cluster)
    cards.add(samples, fleet, today)
    kube.add(samples, today)
    queues.add(samples, today)
    business.add(samples, fleet, today)
    with tempfile.TemporaryDirectory() as folder, bed(Path(folder) / "bed") as servers:
        store = Store(servers, tool_path("promtool"), tool_path("prometheus"))
        store.write(samples.lines())
        store.write(business.week_before(today).lines(-WEEK))
        fired = evaluate(store, groups)
        with store.running() as api:
            yield api, fired


def _targets(board: Json) -> Iterator[Json]:
    for panel in board["panels"]:
        yield from panel.get("targets", ())


def stale(folder: Path = FOLDER) -> list[str]:
    """Return what is wrong with the committed pictures: one that shows another dashboard, one too many, one missing."""
    wanted = {f"{key}.svg": f"<!-- {stamp(board)} -->" for key, board in boards(*example()).items()}
    there = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.svg"))}
    wrong = [f"{folder / name} is missing" for name in wanted if name not in there]
    wrong += [f"{folder / name} shows no dashboard that there is" for name in there if name not in wanted]
    return wrong + [f"{folder / name} is old" for name, mark in wanted.items() if mark not in there.get(name, mark)]


def draw(folder: Path = FOLDER) -> None:
    """Draw every dashboard."""
    fleet, cluster = example()
    folder.mkdir(parents=True, exist_ok=True)
    with prometheus(fleet, cluster) as (api, _):
        for key, board in boards(fleet, cluster).items():
            text = picture(board, api.over_the_day, chosen(cluster).get(key, {}))
            (folder / f"{key}.svg").write_text(text, encoding="utf-8")
    for path in folder.glob("*.svg"):
        if path.stem not in boards(fleet, cluster):
            path.unlink()


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, or check; returns 1 where a picture is out of date."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("--check", action="store_true", help="draw nothing; tell which pictures are out of date")
    if not parser.parse_args(arguments).check:
        draw()
        return 0
    wrong = stale()
    for line in wrong:
        print(f"{line}: run make docs", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

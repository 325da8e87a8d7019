"""Alerts that say nothing new are kept quiet by those that explain them, as it was rendered."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.emit.monitoring import alertmanager
from gpuplan.inventory.metrics import routing
from gpuplan.manifests.write import yaml_text
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.told import loaded_routing
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/inhibitions",
    title="Alertmanager has the rendered inhibitions",
    reads=("alertmanager",),
    why="One dead exporter then pages once for each alert that depends on it, and the one that explains them is lost among them.",
)


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield one verdict where a configuration of Alertmanager was rendered."""
    said = scene.fleet.monitoring.alertmanager
    if not (said.receivers and scene.cluster.pools):
        return
    wanted = routing.read(yaml_text(alertmanager.configuration(scene.fleet))).inhibitions
    made = loaded_routing(scene)
    words = Words(
        at=scene.place(said.path),
        good=f"all {len(wanted)} are loaded",
        bad="some are not loaded",
        fix="Load the configuration in rendered/prometheus/, or add its `inhibit_rules` to your own.",
        unknown="Its configuration cannot be read whole",
        look="Compare `inhibit_rules` with those in rendered/prometheus/ by hand.",
    )
    lacks = [] if made.problems else [f"not loaded: {one}" for one in sorted(wanted - made.inhibitions, key=str)]
    yield verdict(DOC, "the fleet's inhibitions", words, wrong=lacks, unseen=made.problems)

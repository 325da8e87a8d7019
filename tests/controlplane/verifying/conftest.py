"""The good cluster, played once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpuplan.emit.emitters import emit
from tests.controlplane.behaviour.stage import Stage, nodes
from tests.controlplane.client import Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.verifying.bed import SPEC, Bed
from tests.controlplane.verifying.monitors import Monitors
from tests.controlplane.verifying.nodes import discovered, said_by_kubelet


@pytest.fixture(scope="package")
def bed(_shared_busy_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """The good cluster; a test leaves it as it found it."""
    plane = _shared_busy_control_plane
    plane.reset()
    scene = Stage(plane).play(SPEC, head="")
    folder = tmp_path_factory.mktemp("verify")
    (folder / "fleet").mkdir()
    (folder / "fleet" / "fleet.yaml").write_text(SPEC, encoding="utf-8")
    manifests = tuple(one for one in emit(scene.fleet, lambda *_: None) if one.cluster in {None, scene.cluster.name})
    names = [node["name"] for node in nodes(scene.cluster, 2)]
    pools = {name: name.rpartition("-")[0] for name in names}
    (folder / "monitors").mkdir()
    with Monitors(scene.fleet, scene.cluster, manifests, pools).running(folder / "monitors") as monitors:
        made = Bed(plane=plane, fleet=scene.fleet, manifests=manifests, folder=folder, monitors=monitors)
        for name in names:
            describe(made, name)
        agents_run(made)
        yield made
    plane.reset()
    plane.start_kueue()  # with the configuration that other tests expect


def describe(bed: Bed, name: str) -> None:
    """Let a node say what feature discovery, the MIG manager and the kubelet would."""
    pool = next(one for one in bed.cluster.pools if one.name == name.rpartition("-")[0])
    node = reference("v1", "Node", name)
    bed.client.patch(node, {"metadata": {"labels": dict(discovered(pool))}})
    bed.client.patch(node, {"status": said_by_kubelet()}, subresource="status")


def all_is_well(bed: Bed) -> None:
    """Wait until the agents run, and Prometheus sees that all is well."""
    agents_run(bed)
    bed.until(bed.monitors.is_well, "Prometheus to see that all is well")


def agents_run(bed: Bed) -> None:
    """Wait until the pods of all DaemonSets are ready, on just the nodes that want them, as their newest version has them."""
    bed.until(lambda: all(map(_runs, bed.client.list("apps/v1", "DaemonSet"))), "all agents to be ready")


def _runs(made: Object) -> bool:
    status = made.get("status", {})
    wanted = status.get("desiredNumberScheduled", 0)
    return bool(
        status.get("observedGeneration") == made["metadata"]["generation"]
        and wanted
        and wanted == status.get("numberReady") == status.get("updatedNumberScheduled")
        and not status.get("numberMisscheduled")
    )

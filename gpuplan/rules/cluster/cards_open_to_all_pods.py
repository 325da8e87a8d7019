"""Teams that share a cluster whose runtime shows any card to any pod that names it.

By the strategy `envvar` the device plugin tells the runtime in an environment variable which cards a pod has. Anybody can
write that variable: a pod of one team with the nvidia runtime and `NVIDIA_VISIBLE_DEVICES=all`, which many images bake in,
sees the cards of all others, past the scheduler and every quota. With `volume-mounts` the runtime takes the word of the
kubelet alone, once the nodes' container toolkit is set to refuse the variable.

Source: NVIDIA/k8s-device-plugin #61, #87, #1605; NVIDIA container toolkit, accept-nvidia-visible-devices settings.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import Vendor
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.pools import offered_by_plugin
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.walk import listed, point

DOC = RuleDoc(
    id="cluster/cards-open-to-all-pods",
    severity=Severity.WARNING,
    summary="Teams that share a cluster where any pod can name any card",
    why="A pod that sets NVIDIA_VISIBLE_DEVICES sees the cards of other teams, past the scheduler and every quota.",
    fix="Write `nvidiaRuntime: {deviceListStrategy: volume-mounts}`, and set on the nodes "
    "`accept-nvidia-visible-devices-envvar-when-unprivileged = false` and "
    "`accept-nvidia-visible-devices-as-volume-mounts = true` for the container toolkit.",
    bad="clusters:\n  eu: {kubernetes: '1.36'}   # and two teams with queues in it",
    good="clusters:\n  eu: {kubernetes: '1.36', nvidiaRuntime: {deviceListStrategy: volume-mounts}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each cluster of several teams whose plugin is ours and names cards by a variable."""
    for cluster in fleet.clusters:
        names = [team.name for team in cluster.teams]
        if len(names) > 1 and cluster.device_list_strategy == "envvar" and _ours(cluster):
            yield DOC.found(
                f"In cluster `{cluster.name}`, pods of {listed(names)} can see each other's cards",
                at=point(fleet, (*cluster.path, "nvidiaRuntime", "deviceListStrategy")),
            )


def _ours(cluster: Cluster) -> bool:
    """Tell whether our device plugin offers cards there: HAMi's has settings of its own, and others run the rest."""
    return any(map(offered_by_plugin, cluster.pools_on("manual", Vendor.NVIDIA)))

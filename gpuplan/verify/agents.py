"""The node agents that each pool should have: our DaemonSets as they were rendered, or the operands of the GPU Operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from gpuplan import conventions
from gpuplan.emit import agents
from gpuplan.emit.gpu_operator.cluster_policy import toolkit_enabled
from gpuplan.inventory.items import Item
from gpuplan.inventory.view import View
from gpuplan.model.pools import NodePool, offered_by_plugin
from gpuplan.model.sharing import SharingMode
from gpuplan.verify.scene import Scene


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """An agent that runs on every node of a pool."""

    name: str
    pool: NodePool
    namespace: str
    labels: Mapping[str, str]
    """The labels by which its pods are known."""
    images: frozenset[str]
    """The images of its containers."""
    daemon_set: str = ""
    """Its DaemonSet as we rendered it; empty where the operator names it."""
    deploy: str = ""
    """The node label by which it is kept off a node (`nvidia.com/gpu.deploy.…`); empty where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operand:
    """An operand of the GPU Operator (assets/ of NVIDIA/gpu-operator): its label `app`, and the component with its image."""

    name: str
    app: str
    component: str
    deploy: str = ""


_OPERANDS = (
    *(
        _Operand(name=one.name, app=one.app, component=one.component, deploy=one.deploy)
        for one in (agents.DEVICE_PLUGIN, agents.FEATURE_DISCOVERY, agents.DCGM_EXPORTER)
    ),
    _Operand(name=conventions.MIG_MANAGER, app="nvidia-mig-manager", component="migManager", deploy="mig-manager"),
    _Operand(name=conventions.MPS_DAEMON, app="nvidia-device-plugin-mps-control-daemon", component="devicePlugin"),
    _Operand(name="nvidia-container-toolkit", app="nvidia-container-toolkit-daemonset", component="containerToolkit"),
)


@dataclass(frozen=True, eq=False)
class Pod:
    """A pod as the cluster lists it."""

    view: View

    @cached_property
    def name(self) -> str:
        """Its namespace and name."""
        metadata = self.view["metadata"]
        return f"{metadata['namespace'].text()}/{metadata['name'].text()}"

    @property
    def node(self) -> str:
        """The node that it is bound to; empty where it is to none."""
        return self.view["spec"]["nodeName"].text()

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.view["metadata"]["labels"].texts()

    @property
    def images(self) -> frozenset[str]:
        """The images of its containers."""
        return frozenset(one["image"].text() for one in self.view["spec"]["containers"].items())

    @property
    def unready(self) -> str:
        """Why it is not ready, in few words; empty where it is."""
        conditions = {one["type"].text(): one["status"].scalar() for one in self.view["status"]["conditions"].items()}
        if conditions.get("Ready") == "True":
            return ""
        for one in self.view["status"]["containerStatuses"].items():
            waiting = one["state"]["waiting"]["reason"].text()
            if waiting:
                return f"{waiting}, restarted {one['restartCount'].number() or 0} times"
        return f"phase {self.view['status']['phase'].text('unknown')}, not ready"

    def matches(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Tell whether it is in a namespace and has some labels."""
        return self.view["metadata"]["namespace"].text() == namespace and labels.items() <= self.labels.items()


def pods(scene: Scene) -> tuple[Pod, ...]:
    """Return the pods that are bound to a node, and neither over nor on their way out."""
    found = (Pod(Item.plain(dict(made)).root) for made in scene.seen("Pod"))
    return tuple(one for one in found if one.node and _lives(one.view))


def _lives(pod: View) -> bool:
    over = pod["status"]["phase"].text() in {"Succeeded", "Failed"}
    return not over and not pod["metadata"]["deletionTimestamp"].exists


def expected(scene: Scene) -> Iterator[Expected]:
    """Yield the agents of each pool, pool by pool. Where others run the agents, or a vendor's operator does, none is known."""
    rendered = scene.wanted("DaemonSet")
    for pool in scene.cluster.pools:
        if pool in scene.cluster.operator_pools:
            yield from _operands(scene, pool)
        for made in rendered:
            template = made["spec"]["template"]
            if template["metadata"]["labels"].get(conventions.LABEL_POOL) == pool.name:
                yield _ours(made, pool)


def _ours(made: Mapping[str, object], pool: NodePool) -> Expected:
    view = Item.plain(dict(made)).root
    name = view["metadata"]["labels"][conventions.LABEL_APP_NAME].text()
    deploy = next((one.deploy for one in agents.AGENTS if one.name == name), "")
    containers = view["spec"]["template"]["spec"]["containers"]
    return Expected(
        name=name,
        pool=pool,
        namespace=view["metadata"]["namespace"].text(),
        labels=view["spec"]["selector"]["matchLabels"].texts(),
        images=frozenset(one["image"].text() for one in containers.items()),
        daemon_set=view["metadata"]["name"].text(),
        deploy=f"{conventions.LABEL_DEPLOY}.{deploy}" if deploy and pool.sharing.mode is SharingMode.MIG else "",
    )


def _operands(scene: Scene, pool: NodePool) -> Iterator[Expected]:
    needed = {
        conventions.DEVICE_PLUGIN: offered_by_plugin(pool),
        conventions.MIG_MANAGER: pool.sharing.mode is SharingMode.MIG,
        conventions.MPS_DAEMON: pool.sharing.mode is SharingMode.MPS,
        "nvidia-container-toolkit": toolkit_enabled(scene.fleet, scene.cluster),
    }
    for one in _OPERANDS:
        if needed.get(one.name, True):
            yield Expected(
                name=one.name,
                pool=pool,
                namespace=scene.cluster.gpu_operator.namespace,
                labels={"app": one.app},
                images=frozenset({scene.cluster.components[one.component].image}),
                deploy=f"{conventions.LABEL_DEPLOY}.{one.deploy}" if one.deploy else "",
            )

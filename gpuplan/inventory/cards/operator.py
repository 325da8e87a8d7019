"""The GPU Operator's settings, from a ClusterPolicy or from its chart's values, as one shape.

Below `spec` of a ClusterPolicy and at the top of the values the same keys mean the same; the chart alone can also make the
ConfigMaps that they name (`create`, `data`). Source: NVIDIA/gpu-operator, `config/crd/bases`, `deployments/gpu-operator`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gpuplan.diagnostics import Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format, Object
from gpuplan.inventory.view import View

CHART = "gpu-operator"
PLUGIN, MIG, COUNTERS, MIG_CLIENTS = "devicePlugin", "migManager", "dcgmExporter", "migManager.gpuClientsConfig"
KEYS: Mapping[str, str] = {MIG: "config.yaml", COUNTERS: "dcgm-metrics.csv", MIG_CLIENTS: "clients.yaml"}
"""Component -> the one key under which it reads its ConfigMap. The device plugin takes any."""
MADE_BY_OPERATOR = frozenset({"default-mig-parted-config", "default-gpu-clients"})
"""ConfigMaps that the operator brings along."""
_HERE, _HERE_BY_NAME = "https://kubernetes.default.svc", "in-cluster"
"""How Argo CD calls the cluster that it runs in."""
_CONFIGS = {PLUGIN: (PLUGIN, "config"), MIG: (MIG, "config"), COUNTERS: (COUNTERS, "config")}
_CONFIGS[MIG_CLIENTS] = (MIG, "gpuClientsConfig")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigRef:
    """Where a component's ConfigMap is named."""

    component: str
    view: View

    @property
    def name(self) -> str:
        """The ConfigMap's name; empty where none is named."""
        return self.view["name"].text()

    @property
    def default(self) -> View:
        """What nodes without a label use."""
        return self.view["default"]

    @property
    def created(self) -> bool:
        """Whether the chart is to make it."""
        return self.view["create"].flag()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """One ClusterPolicy, or one set of the chart's values."""

    item: Object | Config
    root: View
    """`spec` of the policy; the values."""

    @property
    def is_policy(self) -> bool:
        """Whether it is a ClusterPolicy; the chart fills in what its values leave out."""
        return isinstance(self.item, Object)

    @property
    def strategy(self) -> View:
        """`mig.strategy`."""
        return self.root["mig"]["strategy"]

    @property
    def tolerations(self) -> View:
        """`daemonsets.tolerations`, which take the place of the toleration that the agents have of their own."""
        return self.root["daemonsets"]["tolerations"]

    def config(self, component: str) -> ConfigRef:
        """Return where a component's ConfigMap is named."""
        return ConfigRef(component=component, view=self.root.walk(*_CONFIGS[component]))

    def configs(self) -> Iterator[ConfigRef]:
        """Yield where each component's ConfigMap is named."""
        return (self.config(component) for component in _CONFIGS)

    @property
    def at(self) -> Span:
        """Where it is named; values have no name."""
        return self.item.at_name if isinstance(self.item, Object) else self.root.span

    def __str__(self) -> str:
        return f"ClusterPolicy `{self.item.name}`" if self.is_policy else "the values"


def operators(inventory: Inventory, *, anywhere: bool = False) -> Iterator[Operator]:
    """Yield each statement of the operator's settings: policies, and values wherever they stand.

    Values of an Application that installs the operator in another cluster say nothing of what else is here; they are left out
    unless `anywhere`.
    """
    for policy in inventory.of("ClusterPolicy"):
        if policy.group == "nvidia.com":
            yield Operator(item=policy, root=policy.spec)
    for config in inventory.configs_of(Format.OPERATOR_VALUES):
        if anywhere or not _elsewhere(config):
            yield Operator(item=config, root=config.root)


def _elsewhere(config: Config) -> bool:
    holder = config.holder
    if not isinstance(holder, Object) or holder.kind != "Application":
        return False
    destination = holder.spec["destination"]
    return destination["server"].text(_HERE) != _HERE or destination["name"].text(_HERE_BY_NAME) != _HERE_BY_NAME


def mig_strategy(inventory: Inventory) -> View | None:
    """Return where the MIG strategy that the plugin is started with stands: set by the operator, else by the plugin's chart.

    None where nobody sets one, or two set it differently. What a profile says does not count beside it.
    """
    set_by_chart = [values.root["migStrategy"] for values in inventory.configs_of(Format.PLUGIN_VALUES)]
    found = [one.strategy for one in operators(inventory) if one.strategy.text()]
    found = found or [view for view in set_by_chart if view.text()]
    return found[0] if len({view.text() for view in found}) == 1 else None


def namespace(inventory: Inventory) -> str:
    """Return the operator's namespace: assumed, or of its release or subscription; empty where nothing tells."""
    if inventory.assumed.operator_namespace:
        return inventory.assumed.operator_namespace
    found = {space for release in inventory.of("HelmRelease") if _chart(release) == CHART for space in _target(release)}
    for application in inventory.of("Application"):
        if application.spec["source"]["chart"].text() == CHART:
            found.add(application.spec["destination"]["namespace"].text())
    for wanted in inventory.of("Subscription"):
        if wanted.spec["name"].text() == "gpu-operator-certified":
            found.add(wanted.namespace)
    return found.pop() if len(found) == 1 else ""


def _chart(release: Object) -> str:
    return release.spec["chart"]["spec"]["chart"].text()


def _target(release: Object) -> Iterator[str]:
    yield release.spec["targetNamespace"].text() or release.namespace

"""A monitor or a file of rules that no Prometheus here takes up.

A Prometheus takes the monitors and rules that its selectors name, by label and by namespace; a selector that is not there takes
none, an empty one all. The chart kube-prometheus-stack has it look for `release: <its own name>`. What is passed over shows
nowhere. Monitors may also be an agent's, and rules a Thanos Ruler's.

Source: Prometheus Operator, API reference of Prometheus (`serviceMonitorSelector`, `ruleSelector`, their namespace selectors).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.scheduling.selecting import Labels, selects_namespace
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="mon/not-selected",
    severity=Severity.ERROR,
    summary="A monitor or rules that no Prometheus takes up",
    why="Prometheus passes it over without a word: nothing is scraped, or no alert ever fires.",
    fix="Give it the labels that Prometheus selects by, or have Prometheus select more.",
    bad="kind: ServiceMonitor\nmetadata: {labels: {app: dcgm}}   # and a Prometheus with\n"
    "serviceMonitorSelector: {matchLabels: {release: kps}}",
    good="kind: ServiceMonitor\nmetadata: {labels: {app: dcgm, release: kps}}",
)
SELECTORS = {
    "ServiceMonitor": "serviceMonitor",
    "PodMonitor": "podMonitor",
    "Probe": "probe",
    "PrometheusRule": "rule",
}
"""Kind -> how the fields of a Prometheus begin that select it."""


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each object that every Prometheus here passes over."""
    for one in inventory.of(*SELECTORS):
        start = SELECTORS[one.kind]
        servers = tuple(inventory.of("Prometheus", "ThanosRuler" if start == "rule" else "PrometheusAgent"))
        if servers and all(_passes_over(inventory, server, start, one) for server in servers):
            wanted = servers[0].spec[f"{start}Selector"]
            yield DOC.found(
                f"{one.kind} `{one.name}` is taken up by no Prometheus here: {_why(servers[0], wanted, start)}",
                at=one.at_name,
                also=(Related("the Prometheus", servers[0].at_name),),
            )


def _passes_over(inventory: Inventory, server: Object, start: str, one: Object) -> bool:
    if Labels(known=one.labels, complete=True).match(server.spec[f"{start}Selector"]) is False:
        return True
    spaces = server.spec[f"{start}NamespaceSelector"]
    if not spaces.exists:
        return bool(one.namespace and server.namespace) and one.namespace != server.namespace
    return bool(one.namespace) and selects_namespace(inventory, spaces, one.namespace) is False


def _why(server: Object, wanted: View, start: str) -> str:
    if not wanted.exists:
        return f"`{server.name}` has no `{start}Selector`, which takes none"
    labels = wanted["matchLabels"].texts()
    if labels:
        return f"`{server.name}` takes those with {', '.join(f'`{key}: {value}`' for key, value in labels.items())}"
    return f"`{server.name}` looks for other labels, or in other namespaces"

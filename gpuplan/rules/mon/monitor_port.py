"""A monitor that asks for a port which the Service that it selects does not have.

The exporter's own chart calls its port `metrics`, the GPU Operator `gpu-metrics`. A name that no port has gives no target,
without a word anywhere.

Source: Prometheus Operator, ServiceMonitor (`endpoints[].port` is the name of the Service's port); NVIDIA/dcgm-exporter, chart.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.rulebook import RuleDoc
from gpuplan.words import in_a_row

DOC = RuleDoc(
    id="mon/monitor-port",
    severity=Severity.ERROR,
    summary="A monitor of a port that the Service does not have",
    why="Prometheus finds no target: nothing is scraped, and alerts on its metrics never fire.",
    fix="Name the port as the Service does.",
    bad="endpoints: [{port: metrics}]   # and a Service with the port gpu-metrics",
    good="endpoints: [{port: gpu-metrics}]",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each named port that none of the Services has which a monitor surely selects."""
    for monitor in inventory.of("ServiceMonitor"):
        services = _selected(monitor, inventory)
        names = {port["name"].text() for one in services for port in one.spec["ports"].items()} - {""}
        for endpoint in monitor.spec["endpoints"].items() if names else ():
            wanted = endpoint["port"].text()
            if wanted and wanted not in names:
                shown = in_a_row([f"`{name}`" for name in sorted(names)])
                yield DOC.found(
                    f"No port of Service `{services[0].name}` is called `{wanted}`",
                    at=endpoint["port"].key_span,
                    also=(Related("the Service", services[0].at_name),),
                    fix=f"Write {shown}." if len(names) == 1 else f"Write one of {shown}.",
                )


def _selected(monitor: Object, inventory: Inventory) -> tuple[Object, ...]:
    """Return the Services that a monitor selects by labels alone, in its own namespace or those that it names."""
    chosen = monitor.spec["selector"]
    labels = chosen["matchLabels"].texts()
    if not labels or chosen["matchExpressions"].exists:
        return ()
    spaces = monitor.spec["namespaceSelector"]
    named = spaces["matchNames"].strings() or (monitor.namespace,)
    return tuple(
        one
        for one in inventory.of("Service")
        if (spaces["any"].flag() or one.namespace in named) and labels.items() <= one.labels.items()
    )

"""A field of the device plugin's configuration that the plugin reads and then sets aside.

`devices` and `rename` of a shared resource, and the section `resources`, are in the format, and the plugin puts them back to
their defaults with a line in its log: all cards of the node are shared, under the plain name or `.shared`. Of MPS it refuses
requests for several shares, whatever `failRequestsGreaterThanOne` says.

Source: NVIDIA/k8s-device-plugin, api/config/v1/config.go. Reports: NVIDIA/k8s-device-plugin #353, #1786.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import refuses_devices
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.words import counted

DOC = RuleDoc(
    id="share/field-ignored",
    severity=Severity.ERROR,
    summary="A field that the device plugin reads and ignores",
    why="The plugin says so in its log and runs as if the field were not there.",
    fix="Remove the field.",
    bad="version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4, devices: [0]}]}}",
    good="version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}",
)
PREFIX = "nvidia.com/"


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each field without effect whose effect somebody counts on."""
    for config in inventory.configs_of(Format.PLUGIN):
        for kind in ("timeSlicing", "mps"):
            shared = config.root.walk("sharing", kind)
            for entry in shared["resources"].items():
                yield from _devices(inventory, entry, kind)
                yield from _rename(shared, entry)
        mps = config.root.walk("sharing", "mps")
        if mps["resources"].exists and mps["failRequestsGreaterThanOne"].value is False:
            yield _requests(mps["failRequestsGreaterThanOne"])
        for entry in (*config.root.walk("resources", "gpus").items(), *config.root.walk("resources", "mig").items()):
            yield from _resource(entry)


def _devices(inventory: Inventory, entry: View, kind: str) -> Iterator[Diagnostic]:
    if not entry["devices"].exists or entry["devices"].value == "all" or refuses_devices(entry["devices"]):
        return
    replicas, cards = entry["replicas"].number(), inventory.assumed.cards_per_node
    if replicas is None or replicas < 1:
        result = ""
    elif cards is None:
        result = f" With n cards on a node that is n x {replicas} shares."
    else:
        result = f" On a node with {counted(cards, 'card')} that is {cards} x {replicas} = {cards * replicas} shares."
    yield DOC.found(
        f"The plugin ignores `devices`: it shares every card of the node by {'MPS' if kind == 'mps' else 'time slicing'}",
        at=entry["devices"].key_span,
        detail=f"Cards of one node cannot be chosen; the plugin says so in its log and goes on.{result}",
        fix="Remove `devices`. Cards that are to stay whole need nodes of their own, with a profile of their own.",
    )


def _rename(shared: View, entry: View) -> Iterator[Diagnostic]:
    wanted, name = entry["rename"].text(), entry["name"].text()
    given = f"{name}.shared" if shared["renameByDefault"].flag() else name
    if not wanted or _full(wanted) == _full(given):
        return
    yield DOC.found(
        f"The plugin ignores `rename`: the resource is called {_full(given) or 'as without it'}, not {_full(wanted)}",
        at=entry["rename"].key_span,
        fix="Remove `rename`; only `renameByDefault: true` gives another name, which ends in `.shared`.",
    )


def _requests(view: View) -> Diagnostic:
    return DOC.found(
        "Under MPS the plugin refuses requests for several shares, whatever `failRequestsGreaterThanOne` says",
        at=view.key_span,
        detail="The plugin sets it to true.",
        fix="Remove the line, and let each container ask for one share.",
        severity=Severity.WARNING,
    )


def _resource(entry: View) -> Iterator[Diagnostic]:
    name = entry["name"].text()
    if name and _full(name) != f"{PREFIX}gpu":
        yield DOC.found(
            f"The plugin ignores the section `resources`: nothing is called {_full(name)} because of it",
            at=entry["name"].key_span,
            detail="The names of resources cannot be chosen; the plugin says so in its log and goes on.",
            fix="Remove the section.",
        )


def _full(name: str) -> str:
    return name if not name or "/" in name else f"{PREFIX}{name}"

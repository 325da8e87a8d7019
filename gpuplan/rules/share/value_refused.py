"""A value in the device plugin's configuration, or its chart's values, that the plugin refuses.

The plugin knows a few words for each strategy and stops at any other. Its configuration is typed: `"true"` in quotes is a text,
and the plugin does not start with a text where a boolean stands.

Source: NVIDIA/k8s-device-plugin, cmd/nvidia-device-plugin and api/config/v1.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.cards.exposure import refuses_devices
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import LISTS, is_of_chart
from gpuplan.rules.misfits import Misfit, misfits, wrong_words

DOC = RuleDoc(
    id="share/value-refused",
    severity=Severity.ERROR,
    summary="A value that the device plugin refuses",
    why="The plugin does not start, and its node has no cards to give.",
    fix="Write a value that the plugin knows.",
    bad="version: v1\nflags: {migStrategy: multi}",
    good="version: v1\nflags: {migStrategy: mixed}",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value of another type, or that is no strategy."""
    plugin, chart = keys.load("device-plugin-config"), keys.load(LISTS[Format.PLUGIN_VALUES])
    for config in inventory.configs_of(Format.PLUGIN):
        yield from map(_found, misfits(config.root, plugin, converts=True))
        for kind in ("timeSlicing", "mps"):
            for entry in config.root.walk("sharing", kind, "resources").items():
                yield from _entry(entry)
    for config in inventory.configs_of(Format.PLUGIN_VALUES):
        if is_of_chart(config, chart):
            yield from map(_found, wrong_words(config.root, chart))


def _entry(entry: View) -> Iterator[Diagnostic]:
    if entry.is_mapping and not entry["name"].exists:
        yield DOC.found("A shared resource has no name", at=entry.key_span, fix="Write `name: nvidia.com/gpu`.")
    if refuses_devices(entry["devices"]):
        yield DOC.found(
            "The plugin cannot read which `devices` are meant",
            at=entry["devices"].key_span,
            fix="Remove `devices`: the plugin shares all cards of a node, or none.",
        )


def _found(one: Misfit) -> Diagnostic:
    name = one.path or "the configuration"
    return DOC.found(
        f"`{name}` is {one.written}, and the plugin takes {one.wanted}",
        at=one.view.span,
        fix=one.fix,
    )

"""Values of Helm charts against the keys that the charts read.

Values of a chart carry no name, and people keep more in one file than a chart reads: anchors, notes, values of other charts. Such
keys are nobody's fault; a key inside a section of the chart is, and one at the top where the rest of the file is the chart's.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys as key_lists
from gpuplan.catalog.keys import KeyList
from gpuplan.diagnostics import Diagnostic
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format, Object
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.operands import goes_without_saying
from gpuplan.rules.strays import Stray, finding, is_empty, strays, version_of
from gpuplan.versions import Version, parse

LISTS = {
    Format.EXPORTER_VALUES: "dcgm-exporter-values",
    Format.KUEUE_VALUES: "kueue-values",
    Format.NFD_VALUES: "nfd-values",
    Format.OPERATOR_VALUES: "gpu-operator-values",
    Format.PLUGIN_VALUES: "device-plugin-values",
}


def unknown_values(doc: RuleDoc, inventory: Inventory, kind: Format) -> Iterator[tuple[Stray, Diagnostic]]:
    """Yield the values of a chart that none of its templates reads, with the finding of each."""
    keys = key_lists.load(LISTS[kind])
    for config in inventory.configs_of(kind):
        version = installed(config) or version_of(inventory, keys)
        if is_of_chart(config, keys) and not config.of_own_chart:
            for stray in strays(config.root, keys, version):
                aside = is_empty(stray.view) or goes_without_saying(stray)
                if not (aside or (not stray.path and is_aside(stray.name))):
                    yield stray, finding(doc, stray, keys, version)


def installed(config: Config) -> Version | None:
    """Return the version of the chart that an object of Argo CD, Flux or Helm's controller installs with the values."""
    if not isinstance(config.holder, Object):
        return None
    spec = config.holder.spec
    spec = spec.walk("template", "spec") if config.holder.kind == "ApplicationSet" else spec
    found = [
        source["targetRevision"] for source in (spec["source"], *spec["sources"].items()) if source["chart"].exists
    ]
    found += [spec.walk("chart", "spec", "version"), spec["version"]]
    written = [one.text() for one in found if one.text()]
    return parse(written[0]) if len(written) == 1 else None


def running(config: Config, inventory: Inventory, keys: KeyList) -> Version | None:
    """Return the version of what reads a configuration: that of the chart whose values hold it, or the assumed one."""
    holder = config.holder
    of_chart = isinstance(holder, Config) and holder.format in (Format.KUEUE_VALUES, Format.PLUGIN_VALUES)
    return (installed(holder) if of_chart and isinstance(holder, Config) else None) or version_of(inventory, keys)


def is_of_chart(config: Config, keys: KeyList) -> bool:
    """Tell whether what was taken for a chart's values is that: most keys at the top are the chart's."""
    names = [name for name, _ in named(config.root)]
    return 2 * sum(keys.root.child(name) is not None for name in names) > len(names)


def named(view: View) -> Iterator[tuple[str, View]]:
    """Yield the keys that are meant for a chart."""
    for name, inner in view.entries():
        if not is_aside(name):
            yield name, inner


def is_aside(name: str) -> bool:
    """Tell whether a key is by custom none of the chart's: anchors and notes of whoever wrote the file, and Helm's own."""
    return name.startswith(("x-", "_", ".", "{{", "$")) or name in ("<<", "anchors", "enabled", "global", "tags")

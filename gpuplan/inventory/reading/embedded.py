"""Configurations inside other items: keys of a ConfigMap, texts in a chart's values, and values in what installs a chart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from gpuplan.diagnostics import Diagnostic, KeyPath, Span
from gpuplan.inventory.items import Config, Format, Item, Object
from gpuplan.inventory.places import Places, text_node
from gpuplan.inventory.reading.documents import KeyedPlaces
from gpuplan.inventory.reading.recognise import CHARTS, format_of, is_counters
from gpuplan.inventory.reading.templates import holds_template, is_unfilled
from gpuplan.inventory.view import View
from gpuplan.source.document import Node
from gpuplan.source.foreign import parse_foreign
from gpuplan.source.pieces import Values, moved_finding, values_of

_TABLES: Final[Mapping[Format, tuple[KeyPath, ...]]] = {
    Format.OPERATOR_VALUES: (
        ("devicePlugin", "config", "data"),
        ("migManager", "config", "data"),
        ("dcgmExporter", "config", "data"),
    ),
    Format.PLUGIN_VALUES: (("config", "map"),),
}
"""Where charts take whole files: mappings from a name to a text."""
_TEXTS: Final[Mapping[Format, tuple[tuple[KeyPath, Format], ...]]] = {
    Format.EXPORTER_VALUES: ((("customMetrics",), Format.COUNTERS),),
    Format.KUEUE_VALUES: ((("managerConfig", "controllerManagerConfigYaml"), Format.KUEUE),),
}
"""Where charts take one text of a known format."""
_WORTH_READING: Final = re.compile(
    r"sharing|timeSlicing|mig-|version[\"']?:\s*[\"']?v1|config\.kueue\.x-k8s\.io|groups|migManager|dcgmExporter|devicePlugin"
)
"""What a text holds that could be in one of the formats: most texts of ConfigMaps are about something else."""
_KUEUE_KEY: Final = "controller_manager_config.yaml"
_PLUGIN_DEFAULTS: Final[tuple[object, ...]] = ({"version": "v1"}, None, {})
"""A profile that says nothing, which only its neighbours tell for one."""
_DEEPEST: Final = 4
"""Texts inside each other: values in what installs a chart, a ConfigMap's text in the values, and one to spare."""


def configs_in(item: Item) -> Iterator[Config]:
    """Yield the configurations inside an object or a chart's values, and those inside them."""
    yield from (found for found in read_inner(item) if isinstance(found, Config))


def read_inner(item: Item, depth: int = 0) -> Iterator[Config | Diagnostic]:
    """Yield the configurations inside an item, and what is wrong with the text of those that can be told."""
    if depth == _DEEPEST:
        return
    for found in _inside(item):
        yield found
        if isinstance(found, Config):
            yield from read_inner(found, depth + 1)


def _inside(item: Item) -> Iterator[Config | Diagnostic]:
    if isinstance(item, Object):
        reader = _OBJECTS.get(item.kind)
        if reader is not None:
            yield from reader(item)
    elif isinstance(item, Config):
        for path in _TABLES.get(item.format, ()):
            yield from _table(item, item.root.walk(*map(str, path)))
        for path, known in _TEXTS.get(item.format, ()):
            yield from _text(item, str(path[-1]), item.root.walk(*map(str, path)), known)


def _config_map(item: Object) -> Iterator[Config | Diagnostic]:
    yield from _table(item, item.root["data"])


def _helm_release(item: Object) -> Iterator[Config | Diagnostic]:
    """Flux: the chart's name stands in `spec.chart.spec.chart`, its values beside it."""
    known = _chart(item.spec.walk("chart", "spec", "chart"))
    if known is not None:
        yield from _mapping(item, item.spec["values"], known)


def _application(item: Object) -> Iterator[Config | Diagnostic]:
    """Argo CD: one source or several, each with values as a mapping or as a text."""
    spec = item.spec.walk("template", "spec") if item.kind == "ApplicationSet" else item.spec
    for source in (spec["source"], *spec["sources"].items()):
        known = _chart(source["chart"])
        if known is not None:
            yield from _mapping(item, source.walk("helm", "valuesObject"), known)
            yield from _text(item, "values", source.walk("helm", "values"), known)


def _helm_chart(item: Object) -> Iterator[Config | Diagnostic]:
    """RKE2 and k3s: values as a text."""
    known = _chart(item.spec["chart"])
    if known is not None:
        yield from _text(item, "valuesContent", item.spec["valuesContent"], known)


def _helm_chart_proxy(item: Object) -> Iterator[Config | Diagnostic]:
    """Cluster API's add-on provider: values as a text, which a template of Go may be."""
    known = _chart(item.spec["chartName"])
    if known is not None and not holds_template(item.spec["valuesTemplate"].text()):
        yield from _text(item, "valuesTemplate", item.spec["valuesTemplate"], known)


_OBJECTS: Final[Mapping[str, Callable[[Object], Iterator[Config | Diagnostic]]]] = {
    "ConfigMap": _config_map,
    "HelmRelease": _helm_release,
    "Application": _application,
    "ApplicationSet": _application,
    "HelmChart": _helm_chart,
    "HelmChartProxy": _helm_chart_proxy,
}


def _chart(name: View) -> Format | None:
    return CHARTS.get(name.text().rpartition("/")[2])


class _Below:
    """Places below a path of another item."""

    def __init__(self, outer: Places, prefix: KeyPath) -> None:
        self._outer = outer
        self._prefix = prefix

    @property
    def file(self) -> str:
        """Name of the file."""
        return self._outer.file

    def at(self, path: KeyPath, *, key: bool) -> Span:
        """Return where a path stands."""
        return self._outer.at((*self._prefix, *path), key=key)

    def own_line(self, path: KeyPath) -> bool:
        """Tell whether the key at a path begins its line."""
        return self._outer.own_line((*self._prefix, *path))

    def inside(self, path: KeyPath, offset: int) -> Span:
        """Return where a character of the text at a path stands."""
        return self._outer.inside((*self._prefix, *path), offset)


def _mapping(holder: Item, view: View, known: Format) -> Iterator[Config]:
    if view.is_mapping:
        yield Config(view.value, _Below(holder.places, view.path), format=known, name=str(view.path[-1]), holder=holder)


def subcharts(values: Item) -> Iterator[Config]:
    """Yield the values of known charts in those of a chart that is made of others, where they look like it."""
    for name, known in CHARTS.items():
        inner = values.root[name]
        if inner.is_mapping and format_of(inner.value, name) is known:
            yield from _mapping(values, inner, known)


def _table(holder: Item, texts: View) -> Iterator[Config | Diagnostic]:
    """Yield what stands under the keys of a mapping from names to texts."""
    silent: list[tuple[str, View]] = []
    profiles = False
    for key, view in texts.entries():
        found = list(_text(holder, key, view, None))
        profiles = profiles or any(isinstance(one, Config) and one.format is Format.PLUGIN for one in found)
        if not found and isinstance(view.value, str):
            silent.append((key, view))
        yield from found
    if profiles:
        for key, view in silent:
            data = values_of("", view.text()).values
            if len(data) < 2 and (data[0] if data else None) in _PLUGIN_DEFAULTS:
                yield Config(
                    (data[0] if data else None) or {}, _places(view), format=Format.PLUGIN, name=key, holder=holder
                )


def _text(holder: Item, key: str, view: View, known: Format | None) -> Iterator[Config | Diagnostic]:
    """Yield what a text is, and its faults."""
    text = view.text()
    if (known is Format.COUNTERS and text) or is_counters(text):
        places = KeyedPlaces(partial(text_node, "", text), text, view)
        yield Config(text, places, format=Format.COUNTERS, name=key, holder=holder)
        return
    if not text or (known is None and key != _KUEUE_KEY and not _WORTH_READING.search(text)):
        return
    read = values_of("", text)
    if is_unfilled(text, read):
        return
    data = read.values[0] if len(read.values) == 1 else None
    kind = known or (Format.KUEUE if key == _KUEUE_KEY and isinstance(data, Mapping) else format_of(data, key))
    if kind is not None and (isinstance(data, Mapping) or (read.broken and known)):
        yield from _complaints(read, view)
        if isinstance(data, Mapping):
            yield Config(data, _places(view), format=kind, name=key, holder=holder)
    elif read.broken and _is_meant(key, text):
        yield from _complaints(read, view)


def _complaints(read: Values, view: View) -> Iterator[Diagnostic]:
    places = _places(view)
    for finding in read.findings:
        yield moved_finding(finding, places.lifted)


def _is_meant(key: str, text: str) -> bool:
    """Tell whether a text that is no YAML was meant for one of the formats: by a key or a line that no other has."""
    return key == _KUEUE_KEY or _UNMISTAKEN.search(text) is not None


_UNMISTAKEN: Final = re.compile(r"^(?:mig-configs:|sharing:\s*$|apiVersion: config\.kueue\.x-k8s\.io/)", re.MULTILINE)


def _places(view: View) -> KeyedPlaces:
    text = view.text()
    return KeyedPlaces(partial(_root, text), text, view)


def _root(text: str) -> Node:
    roots = parse_foreign("", text).roots
    return roots[0] if roots else text_node("", text)

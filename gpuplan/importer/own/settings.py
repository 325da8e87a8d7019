"""What a rendered cluster tells of its software: how it is reached, who installs what, in which version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gpuplan import catalog, conventions
from gpuplan.catalog import Release
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Format, Object
from gpuplan.inventory.view import View

Plain = object
_USUAL_TIMEOUT = 1800
_POD_HOLDERS = ("DaemonSet", "Deployment")


def settings(name: str, inventory: Inventory, hubs: Iterable[Inventory]) -> dict[str, Plain]:
    """Return what is sure of a cluster, as its entry has it. `hubs` hold what is Argo CD's alone."""
    return dict(_settings(name, inventory, tuple(hubs)))


def application(inventory: Inventory, name: str) -> Object | None:
    """Return an Application by its name, in whatever namespace Argo CD runs."""
    return next((one for one in inventory.of("Application") if one.name == name), None)


def _settings(name: str, inventory: Inventory, hubs: tuple[Inventory, ...]) -> Iterator[tuple[str, Plain]]:
    yield from _kueue(name, inventory)
    yield from _operator(name, inventory)
    yield from _versions(name, inventory)
    to = _destination(name, inventory, hubs)
    server, called = (to["server"].text(), to["name"].text()) if to is not None else ("", "")
    if server or called not in ("", name):
        yield "destination", {"server": server} if server else {"name": called}
    runtime = dict(_runtime(inventory))
    if runtime:
        yield "nvidiaRuntime", runtime
    rules = (rule for one in inventory.of("NodeFeatureRule") for rule in one.spec["rules"].items())
    if any(True for rule in rules for _ in rule["taints"].items()):
        yield "nfd", {"taints": True}


def _destination(name: str, inventory: Inventory, hubs: tuple[Inventory, ...]) -> View | None:
    """Return how Argo CD names the cluster: by its Application, or by the list of the set that makes Applications."""
    own = application(inventory, conventions.application_name(name))
    if own is not None:
        return own.spec["destination"]
    for hub in (*hubs, inventory):
        for made in hub.of("ApplicationSet"):
            for generator in made.spec["generators"].items():
                for element in generator["list"]["elements"].items():
                    if element["cluster"].text() == name:
                        return element
    return None


def _kueue(name: str, inventory: Inventory) -> Iterator[tuple[str, Plain]]:
    if not any(inventory.of("ClusterQueue")):
        return
    managed = application(inventory, conventions.kueue_application_name(name)) is not None
    value: dict[str, Plain] = {} if managed else {"install": "external"}
    for config in inventory.configs_of(Format.KUEUE):
        waits = config.root["waitForPodsReady"]
        text = waits["timeout"].text()
        seconds = int(text[:-1]) if text.endswith("s") and text[:-1].isascii() and text[:-1].isdigit() else None
        if not waits.exists:
            value["podsReadyTimeoutSeconds"] = 0
        elif seconds is not None and seconds != _USUAL_TIMEOUT:
            value["podsReadyTimeoutSeconds"] = seconds
        break
    if value:
        yield "kueue", "external" if value == {"install": "external"} else value


def _operator(name: str, inventory: Inventory) -> Iterator[tuple[str, Plain]]:
    """Yield how the GPU Operator is installed: its ConfigMaps lie in its namespace."""
    spaces = [one.namespace for one in inventory.of("ConfigMap") if one.name.startswith(conventions.OPERATOR_COUNTERS)]
    if not spaces:
        return
    managed = application(inventory, conventions.gpu_operator_application_name(name)) is not None
    value: dict[str, Plain] = {} if managed else {"install": "external"}
    if spaces[0] != conventions.OPERATOR_RELEASE:
        value["namespace"] = spaces[0]
    if value:
        yield "gpuOperator", value


def _runtime(inventory: Inventory) -> Iterator[tuple[str, Plain]]:
    plugins = [one for one in inventory.of("DaemonSet") if one.name.startswith(f"{conventions.DEVICE_PLUGIN}-")]
    if plugins and not any(one.spec.walk("template", "spec")["runtimeClassName"].exists for one in plugins):
        yield "default", True
    for config in inventory.configs_of(Format.PLUGIN):
        strategy = config.root.walk("flags", "plugin")["deviceListStrategy"].text()
        if plugins and strategy and strategy != "envvar":
            yield "deviceListStrategy", strategy
            return


def _versions(name: str, inventory: Inventory) -> Iterator[tuple[str, Plain]]:
    """Yield the release whose components are nearest to what runs, and the components that differ from it."""
    seen = dict(_seen(name, inventory))
    if not seen:
        return
    releases = catalog.load().releases
    differing = {one: _differing(seen, release) for one, release in releases.items()}
    best = min(sorted(releases, reverse=True), key=lambda one: len(differing[one]))
    yield "release", best
    if differing[best]:
        yield "components", differing[best]


def _seen(name: str, inventory: Inventory) -> Iterator[tuple[str, str]]:
    """Yield images by their repository, and versions of charts by the component."""
    for kind in _POD_HOLDERS:
        for one in inventory.of(kind):
            pod = one.spec.walk("template", "spec")
            for container in (*pod["containers"].items(), *pod["initContainers"].items()):
                image = container["image"].text()
                yield image.rpartition(":")[0], image
    for component, made in (
        ("kueue", conventions.kueue_application_name(name)),
        ("gpuOperator", conventions.gpu_operator_application_name(name)),
    ):
        chart = application(inventory, made)
        version: View | None = chart.spec["source"]["targetRevision"] if chart is not None else None
        if version is not None and version.text():
            yield component, version.text()


def _differing(seen: Mapping[str, str], release: Release) -> dict[str, Plain]:
    """Return the components that run in another version than the release's."""
    found: dict[str, Plain] = {}
    for name, component in release.components.items():
        image = seen.get(component.repository, "") if component.image else ""
        version = seen.get(name, "")
        if image and image != component.image:
            found[name] = {"version": image.rpartition(":")[2], "image": image}
        if version and version.removeprefix("v") != str(component.version).removeprefix("v"):
            found[name] = {"version": version}
    return found

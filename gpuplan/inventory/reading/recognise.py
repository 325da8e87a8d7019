"""Which format a mapping is in, by what it holds. In doubt it is none: a wrong guess accuses somebody of faults that are none.

Values of charts have no sign of their own: a few keys are one chart's alone, others tell only together with the name of the
chart, in the head comment of the file or in its path, or with the image that is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from gpuplan.inventory.items import Format


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KUEUE_CONFIGURATION: Final = "config.kueue.x-k8s.io/"
CHARTS: Final[Mapping[str, Format]] = {
    "gpu-operator": Format.OPERATOR_VALUES,
    "nvidia-device-plugin": Format.PLUGIN_VALUES,
    "dcgm-exporter": Format.EXPORTER_VALUES,
    "node-feature-discovery": Format.NFD_VALUES,
    "kueue": Format.KUEUE_VALUES,
}
"""Charts by name."""
_IMAGES: Final[Mapping[str, Format]] = {
    "k8s-device-plugin": Format.PLUGIN_VALUES,
    "dcgm-exporter": Format.EXPORTER_VALUES,
    "node-feature-discovery": Format.NFD_VALUES,
}
"""Last part of `image.repository`, which only the values of the image's own chart have at the top."""

_OPERATOR_ALONE: Final = _words(
    "migManager dcgmExporter vgpuManager vgpuDeviceManager sandboxWorkloads sandboxDevicePlugin ccManager kataManager "
    "nodeStatusExporter vfioManager"
)
_OPERATOR: Final = _OPERATOR_ALONE | _words(
    "platform nfd psa cdi hostPaths daemonsets validator operator mig driver toolkit devicePlugin dcgm gfd gds gdrcopy "
    "kataSandboxDevicePlugin node-feature-discovery extraObjects fullnameOverride nameOverride"
)
_OPERATOR_CENTRE: Final = frozenset({"devicePlugin", "toolkit", "daemonsets"})
_OPERATOR_PARTS: Final[Mapping[str, frozenset[str]]] = {
    "devicePlugin": _words("enabled repository version imagePullPolicy imagePullSecrets env args resources config mps"),
    "daemonsets": _words("labels annotations tolerations priorityClassName updateStrategy rollingUpdate"),
    "mig": _words("strategy"),
}
"""What tells a part from one of another chart with the same name, where nothing else is said."""
_PLUGIN_ALONE: Final = _words(
    "legacyDaemonsetAPI compatWithCPUManager migStrategy failOnInitError deviceListStrategy deviceIDStrategy "
    "nvidiaDriverRoot gdsEnabled mofedEnabled deviceDiscoveryStrategy"
)
_PLUGIN_FLAGS: Final = _words(
    "migStrategy failOnInitError mpsRoot nvidiaDriverRoot nvidiaDevRoot gdrcopyEnabled gdsEnabled mofedEnabled "
    "useNodeFeatureAPI deviceDiscoveryStrategy plugin gfd"
)
_SHARING: Final = frozenset({"timeSlicing", "mps"})
_NFD_ALONE: Final = frozenset({"topologyUpdater", "enableNodeFeatureApi"})
_KUEUE_ALONE: Final = frozenset({"managerConfig", "enableKueueViz", "kueueViz", "enableVisibilityAPF"})
_EXPORTER: Final = _words(
    "affinity arguments basicAuth customMetrics debugDump deploymentStrategy extraConfigMapVolumes extraEnv "
    "extraHostVolumes extraVolumeMounts extraVolumes fullnameOverride global hostNetwork hostPID image imagePullSecrets "
    "kubeletPath kubernetesDRA kubernetesPodAttributes livenessProbe minReadySeconds nameOverride namespaceOverride "
    "networkPolicy nodeSelector podAnnotations podLabels podSecurityContext priorityClassName prometheusRule "
    "readinessProbe resources rollingUpdate runtimeClassName securityContext service serviceAccount serviceMonitor "
    "startupProbe tlsServerConfig tolerations updateStrategy"
)
"""What the chart of dcgm-exporter may be told; most of it is said to any chart."""
_COUNTER_LINE: Final = re.compile(r"^[ \t]*\"?DCGM_[A-Z0-9_]+\"?[ \t]*,", re.MULTILINE)
HINTS: Final[Mapping[str, Format]] = {**CHARTS, "device-plugin": Format.PLUGIN_VALUES, "dcgm": Format.EXPORTER_VALUES}
"""Words in a head comment or a path that tell whose values these are."""


def format_of(data: object, hint: str = "") -> Format | None:
    """Return the format of a mapping that is no Kubernetes object; `hint` is the head comment and the path of its file."""
    if not isinstance(data, Mapping):
        return None
    if str(data.get("apiVersion", "")).startswith(KUEUE_CONFIGURATION):
        return Format.KUEUE
    if "apiVersion" in data or "kind" in data:
        return None
    return next((format_ for format_, is_it in _SIGNS if is_it(data)), None) or _hinted(data, hint)


def _is_mig_table(data: Mapping[str, object]) -> bool:
    if "mig-configs" in data:
        return True
    tables = [value for value in data.values() if isinstance(value, Mapping)]
    return "version" in data and any(_is_cut(cut) for table in tables for cut in table.values())


def _is_cut(cut: object) -> bool:
    return isinstance(cut, list) and any(
        isinstance(one, Mapping) and ("mig-enabled" in one or "mig-devices" in one) for one in cut
    )


def _is_plugin_config(data: Mapping[str, object]) -> bool:
    sharing, flags, resources = data.get("sharing"), data.get("flags"), data.get("resources")
    if isinstance(sharing, Mapping) and _SHARING & sharing.keys():
        return True
    if data.get("version") != "v1":
        return False
    if isinstance(flags, Mapping) and (_PLUGIN_FLAGS | _SHARING) & flags.keys():
        return True
    if isinstance(resources, Mapping) and {"gpus", "mig"} & resources.keys():
        return True
    if any(isinstance(value := data.get(key), Mapping) and "resources" in value for key in _SHARING):
        return True  # `sharing` was forgotten
    return len(data) > 1 and data.keys() <= {"version", "flags", "resources", "sharing", "imex", "health"}


def _is_rules(data: Mapping[str, object]) -> bool:
    groups = data.get("groups")
    if not isinstance(groups, list) or data.keys() - {"groups", "namespace"}:
        return False
    return any(isinstance(one, Mapping) and isinstance(one.get("rules"), list) for one in groups)


def _is_operator_values(data: Mapping[str, object]) -> bool:
    said = {key for key in data.keys() & _OPERATOR if isinstance(data[key], Mapping)}
    if said & _OPERATOR_ALONE:
        return True
    only = data.keys() <= _OPERATOR
    if said & _OPERATOR_CENTRE and len(said - {"gfd", "nfd", "cdi"}) > 1:
        return only or len(said) > 2
    # The chart of the device plugin has `devicePlugin.enabled` and `gfd.enabled` as well.
    return only and any(
        isinstance(value := data.get(key), Mapping) and bool(value.keys() & signs) and value.keys() != {"enabled"}
        for key, signs in _OPERATOR_PARTS.items()
    )


def _is_plugin_values(data: Mapping[str, object]) -> bool:
    if _PLUGIN_ALONE & data.keys():
        return True
    config = data.get("config")
    table = config.get("map") if isinstance(config, Mapping) else None
    if isinstance(table, Mapping):
        return any(isinstance(text, str) and "version" in text for text in table.values())
    return isinstance(config, Mapping) and "gfd" in data


def _is_nfd_values(data: Mapping[str, object]) -> bool:
    worker = data.get("worker")
    config = worker.get("config") if isinstance(worker, Mapping) else None
    return bool(_NFD_ALONE & data.keys()) or (isinstance(config, Mapping) and bool({"core", "sources"} & config.keys()))


def _is_kueue_values(data: Mapping[str, object]) -> bool:
    return any(isinstance(data.get(key), Mapping | bool) for key in _KUEUE_ALONE)


def _is_exporter_values(data: Mapping[str, object]) -> bool:
    return "customMetrics" in data and data.keys() <= _EXPORTER


_Sign = Callable[[Mapping[str, object]], bool]
_SIGNS: Final[tuple[tuple[Format, _Sign], ...]] = (
    (Format.MIG_PARTED, _is_mig_table),
    (Format.PLUGIN, _is_plugin_config),
    (Format.RULES, _is_rules),
    (Format.OPERATOR_VALUES, _is_operator_values),
    (Format.PLUGIN_VALUES, _is_plugin_values),
    (Format.NFD_VALUES, _is_nfd_values),
    (Format.KUEUE_VALUES, _is_kueue_values),
    (Format.EXPORTER_VALUES, _is_exporter_values),
)


def _hinted(data: Mapping[str, object], hint: str) -> Format | None:
    """Return the chart that the image, the head comment or the path names, if the keys are such as it has."""
    image = data.get("image")
    repository = str(image.get("repository", "")) if isinstance(image, Mapping) else ""
    run = _IMAGES.get(repository.rpartition("/")[2])
    if run is not None:
        return run
    named = {format_ for word, format_ in HINTS.items() if word in hint}
    if Format.EXPORTER_VALUES in named and data and data.keys() <= _EXPORTER:
        return Format.EXPORTER_VALUES
    if Format.OPERATOR_VALUES in named and data and data.keys() <= _OPERATOR:
        return Format.OPERATOR_VALUES
    return None


def is_object(data: Mapping[str, object]) -> bool:
    """Tell whether a mapping is meant as a Kubernetes object, be it a broken one."""
    if "kind" in data:
        return "apiVersion" in data or "metadata" in data
    return "apiVersion" in data and "metadata" in data


def is_counters(text: str) -> bool:
    """Tell whether a text is a list of dcgm-exporter's counters: a record begins with the name of a field of DCGM."""
    return "DCGM_" in text and _COUNTER_LINE.search(text) is not None

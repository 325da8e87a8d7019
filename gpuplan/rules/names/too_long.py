"""A name that becomes too long.

gpuplan joins names of the spec into names of objects and labels: a flavor is `<tier>-<card>-<sharing>`, a ClusterQueue
`<team>-<taskPool>`. Label values have at most 63 characters, and names of ours that end up in labels keep to it. A name past
that is refused here rather than shortened or hashed, since people type these names. Where a MIG layout makes the flavor's name
long, `sharing.mig.name` replaces it. Keys of labels have limits of their own: 253 characters for the domain, 63 for the rest.

Source: Kubernetes, names and labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gpuplan import conventions
from gpuplan.catalog.cards import Vendor
from gpuplan.diagnostics import Diagnostic, KeyPath, Severity
from gpuplan.model.fleet import Cluster, Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.levels import level_path, tiers

DOC = RuleDoc(
    id="names/too-long",
    severity=Severity.ERROR,
    summary="A name that becomes too long",
    why="Kubernetes takes 63 characters in a label value and in most names that become one; the API server refuses more.",
    fix="Shorten one of the names that it is made of.",
    bad="teams:\n  computer-vision-and-perception-research:\n    quotas: {pretraining-of-foundation-models: {}}",
    good="teams:\n  vision:\n    quotas: {pretrain: {}}",
)

LONGEST_AGENT_OF_AMD = "-device-config-manager"
"""How the longest name ends that AMD's operator makes of a DeviceConfig's."""
MAX_DOMAIN = 253
MAX_KEY_NAME = 63
MAX_KEY = MAX_DOMAIN + 1 + MAX_KEY_NAME
MAX_LEVEL = 316
"""Characters of a level in Kueue's Topology, one less than a label key may have."""


class Name(NamedTuple):
    """A name of an object, its kind, the place in the spec that it follows from, and what makes it shorter there."""

    kind: str
    name: str
    path: KeyPath
    fix: str = DOC.fix


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each name and label key past its limit."""
    names = [name for cluster in fleet.clusters for name in _names(cluster)]
    for kind, name, path, fix in dict.fromkeys(names):
        if len(name) > conventions.MAX_LABEL_VALUE:
            summary = f"{kind} `{name}` has {len(name)} characters, {conventions.MAX_LABEL_VALUE} are allowed"
            yield DOC.found(summary, at=fleet.places.key(path), fix=fix)
    for key, most, path in _label_keys(fleet):
        domain, _, rest = key.rpartition("/")
        if len(domain) > MAX_DOMAIN or len(rest) > MAX_KEY_NAME or len(key) > most:
            parts = f"{len(domain)} characters of domain and {len(rest)} of name"
            summary = f"Label key `{key}` has {parts}; {MAX_DOMAIN} and {MAX_KEY_NAME} are allowed, {most} in all"
            yield DOC.found(summary, at=fleet.places.key(path))


def _names(cluster: Cluster) -> Iterator[Name]:
    yield Name("Application", conventions.application_name(cluster.name), cluster.path)
    if cluster.gpu_operator.managed and cluster.has_operator:
        yield Name("Application", conventions.gpu_operator_application_name(cluster.name), cluster.path)
    for pool in cluster.pools:
        if pool.stack == "manual" and pool.card.vendor is Vendor.NVIDIA:
            name = conventions.daemon_set_name(conventions.DEVICE_PLUGIN, pool.name)
            yield Name("DaemonSet", name, pool.path)
        if pool.stack == "operator" and pool.card.vendor is Vendor.AMD:
            yield Name("DaemonSet", conventions.device_config_name(pool.name) + LONGEST_AGENT_OF_AMD, pool.path)
    for flavor in cluster.flavors:
        pool = flavor.pools[0]
        if flavor.sharing.mode is SharingMode.MIG:
            yield Name(
                "ResourceFlavor", flavor.name, mig_path(pool), "Give the layout a short `name` under `sharing.mig`."
            )
        else:
            yield Name("ResourceFlavor", flavor.name, pool.path)
        yield Name("Topology", flavor.topology, flavor.tier.path)
    for cohort in cluster.cohorts:
        for queue in cohort.queues:
            yield Name("ClusterQueue", queue.name, queue.path)


def _label_keys(fleet: Fleet) -> Iterator[tuple[str, int, KeyPath]]:
    """Yield each label key with the most characters that it may have, and its place."""
    for cluster in fleet.clusters:
        for pool in cluster.pools:
            for key, _ in pool.selection.labels:
                yield key, MAX_KEY, (*pool.path, "selectedBy", "labels", key)
            for index, taint in enumerate(pool.taints):
                yield taint.key, MAX_KEY, (*pool.path, "taints", index, "key")
            for key in pool.companions:
                yield key, MAX_KEY, (*pool.path, "companions", key)
    for tier in tiers(fleet):
        for index, level in enumerate(tier.levels):
            yield level, MAX_LEVEL, level_path(tier, index)
    for key in fleet.monitoring.selector_labels:
        yield key, MAX_KEY, (*fleet.monitoring.path, "selectorLabels", key)

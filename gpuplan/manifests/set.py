"""What gpuplan makes for a fleet: objects with an identity and a place, and the few files that are no objects.

An object is its (cluster, apiVersion, kind, namespace, name). Its file follows from that and nothing else, so a diff
of `rendered/` shows what changed and where: `clusters/<cluster>/<nn-area>/<kind>-[<ns>-]<name>.yaml`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from gpuplan.diagnostics import Origin

HUB_AREA = "argocd"
"""The folder of the objects for the cluster that Argo CD runs in."""

_AREA = re.compile(r"[0-9]{2}-[a-z0-9]+(-[a-z0-9]+)*")
_UNSAFE = re.compile(r"[^a-z0-9._-]")
_TEXT_PATH = re.compile(r"[a-z0-9_-][a-z0-9._-]*(/[a-z0-9_-][a-z0-9._-]*)*")
_ARGOCD_READS = re.compile(r"clusters/.*\.(yaml|yml|json|jsonnet)")
_LONGEST_FILE_NAME = 255


class ObjectKey(NamedTuple):
    """The identity of an object within a cluster; `namespace` is empty for a cluster-scoped one."""

    api_version: str
    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, manifest: Mapping[str, object]) -> ObjectKey:
        """Read the key off an object."""
        metadata = cast("Mapping[str, str]", manifest["metadata"])
        api_version, kind = cast("str", manifest["apiVersion"]), cast("str", manifest["kind"])
        return cls(api_version, kind, metadata.get("namespace", ""), metadata["name"])

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind} {place} ({self.api_version})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A Kubernetes object, where it goes and where in the spec it comes from.

    `cluster` is None for objects of the cluster that Argo CD runs in; their area is `HUB_AREA`. Other areas are
    `<nn>-<word>`, such as `40-queues`. `origin` and `also` name the spec entries that shaped it; their files stand in
    the header of the written file. Objects are never changed once they are in here.
    """

    object: Mapping[str, object]
    cluster: str | None
    area: str
    origin: Origin
    also: tuple[Origin, ...] = ()
    key: ObjectKey = field(init=False, repr=False, compare=False)
    """The identity within the cluster, read off the object once."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", ObjectKey.of(self.object))

    @property
    def folder(self) -> str:
        """The folder below `rendered/`, with `/` at its end."""
        return f"{self.area}/" if self.cluster is None else f"clusters/{self.cluster}/{self.area}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFile:
    """A file that is no Kubernetes object, such as a provisioner snippet; `path` is relative to `rendered/`.

    `commented` puts the `#` header of generated files before the text; turn it off where `#` opens no comment.
    """

    path: str
    text: str
    origin: Origin
    also: tuple[Origin, ...] = ()
    commented: bool = True


@dataclass(frozen=True, slots=True)
class ManifestSet:
    """All objects and texts of a fleet, sorted, each once. Make it with `ManifestSet.of`.

    Iterating gives the objects by cluster, area and key, those of the hub first.
    """

    placed: Mapping[str, Manifest]
    """The objects by their file below `rendered/`, in the order of iteration."""
    texts: tuple[TextFile, ...] = ()
    """The other files, by path."""
    _by_key: Mapping[tuple[str | None, ObjectKey], Manifest] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, manifests: Iterable[Manifest], texts: Iterable[TextFile] = ()) -> ManifestSet:
        """Sort the objects and give each its file.

        Raises ValueError for an object or a path that comes twice, or a path that is not allowed: the rules have
        refused all that a user could do to get there, so it is a bug of an emitter.
        """
        keyed = sorted(((m.key, m) for m in manifests), key=lambda pair: (pair[1].cluster or "", pair[1].area, pair[0]))
        by_key: dict[tuple[str | None, ObjectKey], Manifest] = {}
        for key, manifest in keyed:
            if by_key.setdefault((manifest.cluster, key), manifest) is not manifest:
                raise ValueError(f"{key} is made twice for cluster {manifest.cluster}")
        placed = _placed(keyed)
        others = tuple(sorted(texts, key=lambda text: text.path))
        _check_paths(placed, others)
        return cls(placed, others, by_key)

    def with_texts(self, more: Iterable[TextFile]) -> ManifestSet:
        """Return the set with more texts. Raises ValueError as `of` does."""
        others = tuple(sorted((*self.texts, *more), key=lambda text: text.path))
        _check_paths(self.placed, others)
        return replace(self, texts=others)

    def __iter__(self) -> Iterator[Manifest]:
        return iter(self.placed.values())

    def __len__(self) -> int:
        return len(self.placed)

    @property
    def clusters(self) -> tuple[str, ...]:
        """The names of the clusters that have objects, sorted; the hub is not among them."""
        return tuple(dict.fromkeys(m.cluster for m in self if m.cluster is not None))

    def in_cluster(self, cluster: str | None) -> tuple[Manifest, ...]:
        """Return the objects of one cluster, or those of the hub for None."""
        return tuple(m for m in self if m.cluster == cluster)

    def of_kind(self, kind: str) -> tuple[Manifest, ...]:
        """Return the objects of a kind, over all clusters."""
        return tuple(m for m in self if m.object["kind"] == kind)

    def get(self, cluster: str | None, key: ObjectKey) -> Manifest | None:
        """Return the object with that identity, if there is one."""
        return self._by_key.get((cluster, key))


def file_name(key: ObjectKey, *, exact: bool = False) -> str:
    """Name the file of an object, in lower case; characters that a file name should not hold are percent-encoded.

    `exact` parts namespace and name by a dot, which no namespace holds. It serves where the usual name is ambiguous:
    LocalQueue `batch-a` in `vision` and LocalQueue `a` in `vision-batch`.

    >>> file_name(ObjectKey("v1", "ConfigMap", "gpu-system", "dcgm-counters"))
    'configmap-gpu-system-dcgm-counters.yaml'
    >>> file_name(ObjectKey("rbac.authorization.k8s.io/v1", "ClusterRole", "", "gpuplan:viewer"))
    'clusterrole-gpuplan%3aviewer.yaml'
    """
    namespace = key.namespace + ("." if exact else "-") if key.namespace else ""
    name = _UNSAFE.sub(_percent, f"{namespace}{key.name}")
    file = f"{key.kind.lower()}-{name}.yaml"
    if len(file) > _LONGEST_FILE_NAME:
        raise ValueError(f"the file name of {key} is longer than {_LONGEST_FILE_NAME} characters")
    return file


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02x}" for byte in match.group().encode())


def _placed(keyed: list[tuple[ObjectKey, Manifest]]) -> dict[str, Manifest]:
    """Give each object its file; those that would share one get the exact form, until none do."""
    exact: set[int] = set()
    while True:
        sharing: defaultdict[str, list[int]] = defaultdict(list)
        for number, (key, manifest) in enumerate(keyed):
            sharing[manifest.folder + file_name(key, exact=number in exact)].append(number)
        clashing = {number for numbers in sharing.values() if len(numbers) > 1 for number in numbers}
        if not clashing:
            return {path: keyed[numbers[0]][1] for path, numbers in sharing.items()}
        if clashing <= exact:
            raise ValueError(f"several objects share a file: {', '.join(str(keyed[n][0]) for n in sorted(clashing))}")
        exact |= clashing


def _check_paths(placed: Mapping[str, Manifest], texts: tuple[TextFile, ...]) -> None:
    for manifest in placed.values():
        if not (_AREA.fullmatch(manifest.area) if manifest.cluster is not None else manifest.area == HUB_AREA):
            raise ValueError(f"not an area: {manifest.area!r} of {manifest.key}")
    seen = set(placed)
    for text in texts:
        if text.path in seen:
            raise ValueError(f"two files have the path {text.path}")
        if not _TEXT_PATH.fullmatch(text.path) or _ARGOCD_READS.fullmatch(text.path):
            raise ValueError(f"not a path for a text file: {text.path!r}")
        seen.add(text.path)

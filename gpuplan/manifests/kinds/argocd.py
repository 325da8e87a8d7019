"""argoproj.io/v1alpha1: AppProject, Application and ApplicationSet of Argo CD."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import NamespacedMeta, StringMap


class ApplicationDestination(TypedDict):
    """Where objects go: exactly one of `name` and `server` that is not empty, and the namespace for those that carry none."""

    name: NotRequired[str]
    server: NotRequired[str]
    namespace: str


class GroupKind(TypedDict):
    """Objects that a project may hold, by kind and, for cluster-scoped ones, optionally by name."""

    group: str
    kind: str
    name: NotRequired[str]


class SyncWindow(TypedDict):
    """When a project may sync. `duration` as Go writes it (`2h`), `schedule` as cron."""

    applications: NotRequired[list[str]]
    clusters: NotRequired[list[str]]
    description: NotRequired[str]
    duration: str
    kind: Literal["allow", "deny"]
    manualSync: NotRequired[bool]
    namespaces: NotRequired[list[str]]
    schedule: str
    syncOverrun: NotRequired[bool]
    timeZone: NotRequired[str]


class AppProjectSpec(TypedDict):
    """What the applications of a project may touch: exact lists, no `*`. Without a list, nothing outside namespaces."""

    clusterResourceWhitelist: NotRequired[list[GroupKind]]
    description: NotRequired[str]
    destinations: list[ApplicationDestination]
    namespaceResourceWhitelist: list[GroupKind]
    sourceRepos: list[str]
    syncWindows: NotRequired[list[SyncWindow]]


class AppProject(TypedDict):
    """argoproj.io/v1alpha1 AppProject."""

    apiVersion: Literal["argoproj.io/v1alpha1"]
    kind: Literal["AppProject"]
    metadata: NamespacedMeta
    spec: AppProjectSpec


class DirectorySource(TypedDict):
    """Plain files: without `recurse` only the top folder is read."""

    recurse: bool
    include: NotRequired[str]
    exclude: NotRequired[str]


class HelmSource(TypedDict):
    """A chart's settings; `valuesObject` holds the values as a tree."""

    releaseName: NotRequired[str]
    skipCrds: NotRequired[bool]
    valuesObject: NotRequired[dict[str, object]]


class ApplicationSource(TypedDict):
    """A folder of a Git repository, or a pinned chart."""

    repoURL: str
    targetRevision: str
    path: NotRequired[str]
    chart: NotRequired[str]
    directory: NotRequired[DirectorySource]
    helm: NotRequired[HelmSource]


class SyncPolicyAutomated(TypedDict):
    """Sync without asking."""

    prune: bool
    selfHeal: bool


class Backoff(TypedDict):
    """Growing waits between tries; durations as Go writes them (`5s`)."""

    duration: str
    factor: int
    maxDuration: str


class RetryStrategy(TypedDict):
    """How often a failed sync is tried again."""

    backoff: Backoff
    limit: int


class ManagedNamespaceMetadata(TypedDict):
    """Labels and annotations of a namespace that Argo CD creates."""

    labels: NotRequired[StringMap]
    annotations: NotRequired[StringMap]


class SyncPolicy(TypedDict):
    """How an application follows Git."""

    automated: NotRequired[SyncPolicyAutomated]
    managedNamespaceMetadata: NotRequired[ManagedNamespaceMetadata]
    retry: RetryStrategy
    syncOptions: list[str]


class ResourceIgnoreDifferences(TypedDict):
    """Fields that others own."""

    group: str
    kind: str
    name: NotRequired[str]
    jsonPointers: NotRequired[list[str]]
    jqPathExpressions: NotRequired[list[str]]


class ApplicationSpec(TypedDict):
    """What to sync, and to where."""

    destination: ApplicationDestination
    ignoreDifferences: NotRequired[list[ResourceIgnoreDifferences]]
    project: str
    source: ApplicationSource
    syncPolicy: SyncPolicy


class Application(TypedDict):
    """argoproj.io/v1alpha1 Application."""

    apiVersion: Literal["argoproj.io/v1alpha1"]
    kind: Literal["Application"]
    metadata: NamespacedMeta
    spec: ApplicationSpec


class ListGenerator(TypedDict):
    """Applications from a list: each element is one, and holds what the template takes of it."""

    elements: list[StringMap]


class Generator(TypedDict):
    """Where Applications come from; the API has more kinds."""

    list: ListGenerator


class ApplicationSetSyncPolicy(TypedDict):
    """What the controller may do to its Applications."""

    applicationsSync: Literal["create-only", "create-update", "create-delete", "sync"]
    preserveResourcesOnDeletion: bool


class ApplicationSetTemplateMeta(TypedDict):
    """Metadata of the Applications: they lie in the set's own namespace."""

    name: str
    labels: StringMap
    annotations: StringMap


class ApplicationSetTemplate(TypedDict):
    """The Application of an element."""

    metadata: ApplicationSetTemplateMeta
    spec: ApplicationSpec


class ApplicationMatch(TypedDict):
    """Applications by a label."""

    key: str
    operator: Literal["In", "NotIn"]
    values: list[str]


class RolloutStep(TypedDict):
    """Applications that are synced together."""

    matchExpressions: list[ApplicationMatch]


class RollingSync(TypedDict):
    """Steps, each of which waits until all before it are healthy."""

    steps: list[RolloutStep]


class ApplicationSetStrategy(TypedDict):
    """In which order Applications are synced."""

    type: Literal["RollingSync"]
    rollingSync: RollingSync


class ApplicationSetSpec(TypedDict):
    """Which Applications there are, and what they have in common."""

    generators: list[Generator]
    goTemplate: bool
    goTemplateOptions: list[str]
    strategy: NotRequired[ApplicationSetStrategy]
    syncPolicy: ApplicationSetSyncPolicy
    template: ApplicationSetTemplate


class ApplicationSet(TypedDict):
    """argoproj.io/v1alpha1 ApplicationSet."""

    apiVersion: Literal["argoproj.io/v1alpha1"]
    kind: Literal["ApplicationSet"]
    metadata: NamespacedMeta
    spec: ApplicationSetSpec

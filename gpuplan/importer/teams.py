"""LocalQueues and selectors -> teams; queues and priorities -> drafts of task pools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from gpuplan import conventions
from gpuplan.importer.apart import slug
from gpuplan.importer.draft import Entry
from gpuplan.importer.pool import Pool
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.rules.namespace.reserved import NAMES, PREFIXES

KINDS: Mapping[str, tuple[str, ...]] = {
    "onlineInference": ("serv", "infer", "online", "chat", "vllm", "endpoint", "api"),
    "batchInference": ("batch", "offline", "nightly", "bulk"),
    "training": ("train", "pretrain", "finetun", "fine-tun", "gang", "mlbatch"),
    "experiment": (
        "notebook",
        "session",
        "dev",
        "lab",
        "sandbox",
        "experiment",
        "interactive",
        "scratch",
        "ci",
        "bench",
    ),
}
"""Parts of names by which people tell kinds of work, in the order in which they are looked for."""
CLASS_KINDS = ("WorkloadPriorityClass", "PriorityClass")
GUESSED = "The kind is guessed from the name."
NOT_TOLD = "The files do not tell the kind of work: experiment is taken."


def kind_of(words: Iterable[str]) -> str:
    """Return the kind of work that names speak of, empty where they do not.

    >>> kind_of(["serving"]), kind_of(["training"]), kind_of(["ordinary"])
    ('onlineInference', 'training', '')
    """
    text = " ".join(words).casefold()
    return next((kind for kind, parts in KINDS.items() if any(part in text for part in parts)), "")


def namespaces(inventory: Inventory) -> dict[str, list[str]]:
    """Return the namespaces that may use each ClusterQueue, by its LocalQueues and by the names in its selector."""
    found: dict[str, list[str]] = {}
    for queue in inventory.of("ClusterQueue"):
        own = found.setdefault(queue.name, [])
        selector = queue.spec["namespaceSelector"]
        own += [selector["matchLabels"][conventions.LABEL_NAMESPACE_NAME].text()]
        for term in selector["matchExpressions"].items():
            if term["key"].text() == conventions.LABEL_NAMESPACE_NAME and term["operator"].text() == "In":
                own += term["values"].strings()
    for local in inventory.of("LocalQueue"):
        found.setdefault(local.spec["clusterQueue"].text(), []).append(local.namespace or "default")
    return {queue: list(dict.fromkeys(name for name in names if name)) for queue, names in found.items()}


def is_system(namespace: str) -> bool:
    """Tell whether a namespace belongs to Kubernetes or an agent, so that no team can have it."""
    return namespace in NAMES or namespace.startswith(tuple(PREFIXES))


def teams(inventory: Inventory) -> tuple[list[Entry], dict[str, str]]:
    """Return a team for each namespace with a queue, and the team of each ClusterQueue that one alone uses."""
    used = namespaces(inventory)
    labelled = {one.name: one.labels.get(conventions.LABEL_TEAM, "") for one in inventory.of("Namespace")}
    found: dict[str, list[str]] = {}
    owner: dict[str, str] = {}
    for queue, spaces in used.items():
        names = [name for name in spaces if not is_system(name)]
        own = [slug(labelled.get(name, "")) or name for name in names]
        for team, name in zip(own, names, strict=True):
            found.setdefault(team, []).append(name)
        if len(set(own)) == 1:
            owner[queue] = own[0]
    entries = [
        Entry(section=("teams",), name=team, value={"namespaces": list(dict.fromkeys(names))})
        for team, names in found.items()
    ]
    return entries, owner


def task_pools(inventory: Inventory, pools: Iterable[Pool]) -> Iterator[Entry]:
    """Yield drafts of task pools: one for each priority where their names tell kinds of work, else one for each queue."""
    tiers: dict[str, list[str]] = {}
    for pool in pools:
        if pool.has_cards and pool.flavor:
            tiers.setdefault(pool.flavor, []).append(pool.name)
    classes = [one for one in inventory.of(*CLASS_KINDS) if kind_of([one.name]) in ("training", "onlineInference")]
    queues = [queue for queue in inventory.of("ClusterQueue") if any(name in tiers for name in _ordered(queue))]
    taken: set[str] = set()
    if len(classes) > 1 and len(queues) == 1:
        for one in sorted(inventory.of(*CLASS_KINDS), key=lambda one: one.root["value"].number() or 0):
            value = one.root["value"].number()
            note = f"Work of priority {value} (`{one.name}`) of queue `{queues[0].name}`; it has its quota there."
            yield _task_pool(_free(one.name, taken), [one.name], queues[0], tiers, note)
        return
    for queue in queues:
        note = f"For what ClusterQueue `{queue.name}` runs; it has its quota under `adopted`."
        words = [queue.name, *namespaces(inventory)[queue.name]]
        yield _task_pool(_free(queue.name, taken), words, queue, tiers, note)


def _free(name: str, taken: set[str]) -> str:
    """Return a name for the spec, which allows no dots, that no other has; it is taken then."""
    made = slug(name) or "work"
    free = (
        made if made not in taken else next(one for number in count(2) if (one := f"{made[:59]}-{number}") not in taken)
    )
    taken.add(free)
    return free


def _task_pool(name: str, words: list[str], queue: Object, tiers: Mapping[str, list[str]], note: str) -> Entry:
    kind = kind_of(words)
    used = [tier for flavor in _ordered(queue) for tier in tiers.get(flavor, ())]
    value: dict[str, object] = {"kind": kind or "experiment", "service": _service(queue), "tiers": used}
    if len(used) > 1:
        value["fallback"] = "nextTier"
    return Entry(section=("taskPools",), name=name, value=value, notes=(note, GUESSED if kind else NOT_TOLD))


def _service(queue: Object) -> str:
    """Return the class that is nearest to what the queue may do: one that takes all back has a floor that holds."""
    return "guaranteed" if queue.spec["preemption"]["reclaimWithinCohort"].text() == "Any" else "queued"


def _ordered(queue: Object) -> list[str]:
    names = [
        flavor["name"].text() for group in queue.spec["resourceGroups"].items() for flavor in group["flavors"].items()
    ]
    return list(dict.fromkeys(names))

"""How changes reach clusters: Applications that come, go or look elsewhere, and what Argo CD may no longer touch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gpuplan import conventions
from gpuplan.diagnostics import KeyPath
from gpuplan.manifests.set import ManifestSet
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pool_pairs import Side, nodes_text
from gpuplan.plan.effects.reading import Object, listed, spec
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk
from gpuplan.plan.state import Ref
from gpuplan.words import counted

SET, APPLICATION, PROJECT = "ApplicationSet", "Application", "AppProject"
ARGOCD: KeyPath = ("delivery", "argocd")
FIELD = "{{.cluster}}"
"""Where the set's template takes the name of a cluster."""
PROGRAMS: Mapping[str, str] = {
    conventions.kueue_application_name(""): "Kueue",
    conventions.gpu_operator_application_name(""): "GPU Operator",
}
"""How the names of Applications begin that install a program, and the program in words."""
LOOKED_AT = ("repoURL", "path", "targetRevision")
BROUGHT = (("spec", "source"), ("spec", "destination"), ("spec", "generators"), ("spec", "strategy"))
"""Parts that say what is brought where, and when."""


class Delivered(NamedTuple):
    """Where an Application brings what from."""

    source: Mapping[str, str]
    destination: Mapping[str, str]


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what becomes of the delivery to clusters."""
    yield from _clusters_come_and_go(comparison)
    yield from _renamed(comparison)
    yield from _redirected(comparison)
    yield from _mode(comparison)
    yield from _programs(comparison)
    for change in comparison.of_kind(PROJECT, action=Action.UPDATE):
        yield from _permitted(comparison, change)
    yield from _settings(list(comparison.of_kind(APPLICATION, SET, action=Action.UPDATE)))


def _clusters_come_and_go(comparison: Comparison) -> Iterator[Effect]:
    old = {comparison.moves.new_name("clusters", name): name for name in comparison.old.manifests.clusters}
    new = set(comparison.new.manifests.clusters)
    for name in sorted(new - old.keys()):
        pools = [side for side in pool_pairs.new_sides(comparison) if side.home.name == name]
        objects = counted(len(comparison.new.manifests.in_cluster(name)), "object")
        text = f"cluster {name} joins the fleet with {objects}{_size(pools)}"
        yield _of_cluster(comparison, "delivery/cluster-added", Risk.NONE, name, text, pools)
    for name in sorted(old.keys() - new):
        pools = [side for side in pool_pairs.old_sides(comparison) if side.home.name == old[name]]
        objects = counted(len(comparison.old.manifests.in_cluster(old[name])), "object")
        text = f"cluster {name} leaves the fleet: its {objects} stay as they are{_size(pools)}, and nobody heals or changes them"
        yield _of_cluster(comparison, "delivery/cluster-removed", Risk.DISRUPTIVE, name, text, pools)


def _size(pools: list[Side]) -> str:
    return f" on {nodes_text(*pool_pairs.size(pools))}" if pools else ""


def _of_cluster(comparison: Comparison, fact: str, risk: Risk, name: str, text: str, pools: list[Side]) -> Effect:
    return Effect(
        fact=fact,
        risk=risk,
        cluster=name,
        subject=f"cluster {name}",
        summary=text,
        objects=tuple(
            change.ref for change in comparison.objects if change.ref.cluster == name or _brings(change, name)
        ),
        causes=pool_pairs.caused(comparison, ("clusters", name)),
        teams=pool_pairs.teams_on(*pools) if risk is Risk.DISRUPTIVE else (),
        nodes=pool_pairs.size(pools)[0],
        cards=pool_pairs.size(pools)[1],
    )


def _brings(change: ObjectChange, cluster: str) -> bool:
    """Tell whether an object is one of the Applications of a cluster."""
    names = (
        conventions.application_name(cluster),
        conventions.kueue_application_name(cluster),
        conventions.gpu_operator_application_name(cluster),
    )
    return change.ref.key.kind == APPLICATION and change.ref.key.name in names


def _renamed(comparison: Comparison) -> Iterator[Effect]:
    """Yield an effect for each cluster with another name: its objects bear the name of the Application that they came by."""
    for old in comparison.old.manifests.clusters:
        new = comparison.moves.new_name("clusters", old)
        if new != old and new in comparison.new.manifests.clusters:
            yield Effect(
                fact="delivery/cluster-renamed",
                risk=Risk.DISRUPTIVE,
                cluster=new,
                subject=f"cluster {new}",
                summary=f"cluster {old} is called {new}: every sync of Application {conventions.application_name(new)} fails as "
                f"long as objects bear the name of {conventions.application_name(old)}",
                objects=tuple(
                    change.ref for change in comparison.objects if _brings(change, new) or _brings(change, old)
                ),
                causes=pool_pairs.caused(comparison, ("moved",), ("clusters", old), ("clusters", new)),
            )


def _redirected(comparison: Comparison) -> Iterator[Effect]:
    """Yield what happens where an Application goes to another place or looks at another one."""
    before, after = _delivered(comparison.old.manifests), _delivered(comparison.new.manifests)
    for cluster in sorted(reading.staying(comparison)):
        old = before.get(conventions.application_name(comparison.moves.old_name("clusters", cluster)))
        new = after.get(conventions.application_name(cluster))
        if old is None or new is None:
            continue
        objects = tuple(_hub(comparison, cluster))
        yield from _elsewhere(comparison, cluster, (old, new), objects)
        if comparison.moves.old_name("clusters", cluster) == cluster:
            yield from _other_source(comparison, cluster, (old, new), objects)


def _elsewhere(
    comparison: Comparison, cluster: str, both: tuple[Delivered, Delivered], objects: tuple[Ref, ...]
) -> Iterator[Effect]:
    """Yield what happens where everything goes to another cluster."""
    was, will = (one.destination.get("server") or one.destination.get("name") or "" for one in both)
    before = comparison.moves.old_name("clusters", cluster)
    homes = [side for side in pool_pairs.old_sides(comparison) if side.home.name == before]
    nodes, cards = pool_pairs.size(homes)
    if was != will:
        yield Effect(
            fact="delivery/destination",
            risk=Risk.DISRUPTIVE,
            cluster=cluster,
            subject=f"cluster {cluster}",
            summary=f"cluster {cluster}: everything goes to {will} instead of {was}, where all stays and nobody heals it",
            objects=objects,
            causes=pool_pairs.caused(comparison, ("clusters", cluster, "destination")),
            teams=pool_pairs.teams_on(*homes),
            nodes=nodes,
            cards=cards,
        )


def _other_source(
    comparison: Comparison, cluster: str, both: tuple[Delivered, Delivered], objects: tuple[Ref, ...]
) -> Iterator[Effect]:
    """Yield what happens where Argo CD looks at another repository, revision or folder."""
    old, new = (one.source for one in both)
    changed = [key for key in LOOKED_AT if old.get(key) != new.get(key)]
    if changed:
        told = listed(f"{key} {old.get(key)} → {new.get(key)}" for key in changed)
        yield Effect(
            fact="delivery/source",
            risk=Risk.DISRUPTIVE,
            cluster=cluster,
            subject=f"cluster {cluster}",
            summary=f"cluster {cluster}: Argo CD takes everything from elsewhere ({told}), and takes away what it does not find "
            "there",
            objects=objects,
            causes=pool_pairs.caused(comparison, ARGOCD),
        )


def _delivered(manifests: ManifestSet) -> dict[str, Delivered]:
    """Return where the Applications of the clusters go, those that a set makes among them, by name."""
    found: dict[str, Delivered] = {}
    for made in manifests.of_kind(APPLICATION):
        whole = spec(made.object)
        found[made.key.name] = Delivered(_source(whole), _target(whole.get("destination", {})))
    for made in manifests.of_kind(SET):
        whole = spec(made.object)
        source = _source(whole.get("template", {}).get("spec", {}))
        for generator in whole.get("generators", ()):
            for element in generator.get("list", {}).get("elements", ()):
                filled = {key: value.replace(FIELD, element["cluster"]) for key, value in source.items()}
                found[conventions.application_name(element["cluster"])] = Delivered(filled, _target(element))
    return found


def _source(application: Object) -> dict[str, str]:
    source: Any = application.get("source", {})
    return {key: str(source[key]) for key in LOOKED_AT if key in source}


def _target(place: Mapping[str, str]) -> dict[str, str]:
    return {key: place[key] for key in ("name", "server") if place.get(key)}


def _hub(comparison: Comparison, cluster: str) -> Iterator[Ref]:
    """Yield the changes of what brings a cluster its objects."""
    for change in comparison.objects:
        if change.ref.key.kind == SET or _brings(change, cluster):
            yield change.ref


def _mode(comparison: Comparison) -> Iterator[Effect]:
    sets = list(comparison.of_kind(SET))
    actions = {change.action for change in sets}
    if actions >= {Action.CREATE, Action.DELETE}:
        text = (
            "another ApplicationSet makes the Applications of the clusters; the old one leaves what they have brought"
        )
    elif Action.CREATE in actions:
        text = "one ApplicationSet makes the Applications of the clusters and takes over those that are there"
    elif Action.DELETE in actions:
        text = "Applications of the clusters stand alone again; the ApplicationSet goes and leaves what it made"
    elif any(reading.differs(change, lambda made: spec(made).get("strategy")) for change in sets):
        text = "clusters are synced in another order, each step when the one before is healthy"
    else:
        return
    own = (one for one in comparison.of_kind(APPLICATION) if one.ref.key.name.startswith(conventions.OWN_PREFIX))
    yield Effect(
        fact="delivery/mode",
        risk=Risk.LOW,
        cluster=None,
        subject="delivery",
        summary=text,
        objects=reading.refs([*sets, *own]),
        causes=pool_pairs.caused(comparison, ARGOCD),
    )


def _programs(comparison: Comparison) -> Iterator[Effect]:
    """Yield what becomes of programs that gpuplan installs, or no longer does, in clusters that stay under their name."""
    stay = reading.staying(comparison)
    for change in comparison.of_kind(APPLICATION):
        for prefix, title in PROGRAMS.items():
            cluster = change.ref.key.name.removeprefix(prefix)
            named = cluster in stay and comparison.moves.old_name("clusters", cluster) == cluster
            if change.ref.key.name == cluster or not named or change.action is Action.UPDATE:
                continue
            gone = change.action is Action.DELETE
            does = "runs on as it is, and nobody heals or upgrades it" if gone else "is installed by Argo CD"
            yield Effect(
                fact="delivery/program-left" if gone else "delivery/program-installed",
                risk=Risk.LOW,
                cluster=cluster,
                subject=title,
                summary=f"{title} {does}",
                objects=(change.ref,),
                causes=change.causes,
            )


def _permitted(comparison: Comparison, change: ObjectChange) -> Iterator[Effect]:
    """Yield what a project no longer permits: Argo CD does not see it any more, and takes none of it away.

    What lies in a cluster that the project no longer goes to is told with the cluster, and in a namespace that goes, with that.
    """
    old, new = spec(change.before), spec(change.after)
    places = [_target(entry) for entry in new.get("destinations", ())]
    told = {one.ref.key.name for one in comparison.of_kind("Namespace", action=Action.DELETE)}
    namespaces = [
        f"namespace {entry['namespace']} of {entry.get('name') or entry.get('server')}"
        for entry in _lost(old, new, "destinations")
        if _target(entry) in places and entry["namespace"] not in told
    ]
    lists = ("clusterResourceWhitelist", "namespaceResourceWhitelist")
    lost = [one for key in lists for one in _lost(old, new, key)]
    kinds = [" ".join(filter(None, (one["kind"], one.get("name")))) for one in lost if one.get("name") not in told]
    gone = [*namespaces, *kinds]
    if gone:
        yield Effect(
            fact="delivery/no-longer-permitted",
            risk=Risk.LOW,
            cluster=None,
            subject=f"project {change.ref.key.name}",
            summary=f"project {change.ref.key.name} no longer permits {listed(gone)}: what is there stays, unseen by Argo CD",
            objects=(change.ref,),
            causes=change.causes,
        )


def _lost(old: Object, new: Object, key: str) -> Iterator[Mapping[str, str]]:
    return (entry for entry in old.get(key, ()) if entry not in new.get(key, ()))


def _settings(changes: list[ObjectChange]) -> Iterator[Effect]:
    """Yield that Argo CD follows Git in another way: nothing of what it brings changes by that."""
    other = [change for change in changes if any(one.path[:2] not in BROUGHT for one in change.changes)]
    if other:
        yield Effect(
            fact="delivery/settings",
            risk=Risk.NONE,
            cluster=None,
            subject="delivery",
            summary=f"{counted(len(other), 'Application')} {'follows' if len(other) == 1 else 'follow'} Git by other settings: "
            f"{listed(change.ref.key.name for change in other)}",
            objects=reading.refs(other),
            causes=reading.causes(other),
        )

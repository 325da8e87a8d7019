"""When changes come, and which of them wait for a person: sync windows and confirmed removals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from gpuplan.model.fleet import Window
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pruning import Fate, fate
from gpuplan.plan.effects.reading import listed
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk
from gpuplan.words import counted

PATH = ("governance", "maintenance")


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what waits, and for what."""
    yield from _confirmed(comparison)
    yield from _held(comparison)
    yield from _windows(comparison)
    yield from _by_tool(comparison)


def _confirmed(comparison: Comparison) -> Iterator[Effect]:
    """Yield how many objects Argo CD takes away only when a person says so."""
    waiting: dict[str, list[ObjectChange]] = defaultdict(list)
    for change in comparison.objects:
        if change.confirmed and _waits(comparison, change):
            waiting[reading.new_cluster(comparison, change)].append(change)
    for cluster in sorted(waiting.keys() & reading.staying(comparison)):
        some = waiting[cluster]
        kinds = Counter((change.was or change.ref).key.kind for change in some)
        told = listed((f"{number} {kind}" for kind, number in sorted(kinds.items())), most=len(kinds))
        yield Effect(
            fact="delivery/confirm",
            risk=Risk.LOW,
            cluster=cluster,
            subject="removals",
            summary=f"removals in cluster {cluster} that wait for a person to confirm: {told}",
            objects=reading.refs(some),
            causes=reading.causes(some),
        )


def _waits(comparison: Comparison, change: ObjectChange) -> bool:
    """Tell whether the object of the old side goes, and Argo CD asks first."""
    if change.action is Action.DELETE:
        return fate(comparison, change) is Fate.CONFIRMED
    return change.was is not None and change.was.key != change.ref.key


def _held(comparison: Comparison) -> Iterator[Effect]:
    """Yield when the changes of a cluster come, where it has maintenance windows."""
    fleet = comparison.new.fleet
    changed = {change.ref.cluster for change in comparison.objects}
    for cluster in fleet.clusters if fleet else ():
        windows = [window for window in fleet.governance.windows if cluster.name in window.clusters] if fleet else []
        if cluster.name not in changed or not windows:
            continue
        allow = [_text(window) for window in windows if window.allows]
        deny = [_text(window) for window in windows if not window.allows]
        when = [*([f"in {listed(allow)} only"] if allow else []), *([f"never in {listed(deny)}"] if deny else [])]
        by_hand = "; a person may sync by hand" if all(window.manual_sync for window in windows) else ""
        yield Effect(
            fact="delivery/held",
            risk=Risk.NONE,
            cluster=cluster.name,
            subject="maintenance windows",
            summary=f"changes reach cluster {cluster.name} {', '.join(when)}{by_hand}",
        )


def _text(window: Window) -> str:
    """Return a window in words: its name if it has one, and when it opens for how long."""
    when = f"`{window.schedule}` for {window.duration}, {window.time_zone}"
    return f"{window.name} ({when})" if window.name else when


def _windows(comparison: Comparison) -> Iterator[Effect]:
    """Yield the windows that come, go or change. Where all go, changes come at once."""
    old, new = comparison.old.fleet, comparison.new.fleet
    if old is None or new is None:
        return
    was, will = ([_said(window) for window in fleet.governance.windows] for fleet in (old, new))
    if was == will:
        return
    come, go = [one for one in will if one not in was], [one for one in was if one not in will]
    told = [*(f"new: {one}" for one in come), *(f"gone: {one}" for one in go)] or ["they have another order"]
    rest = "; changes come at any time" if was and not will else ""
    yield Effect(
        fact="delivery/windows",
        risk=Risk.LOW,
        cluster=None,
        subject="maintenance windows",
        summary=f"maintenance windows: {'; '.join(told)}{rest}",
        objects=tuple(change.ref for change in comparison.of_kind("AppProject")),
        causes=pool_pairs.caused(comparison, PATH),
    )


def _said(window: Window) -> str:
    kind = "allow" if window.allows else "deny"
    by_hand = " with sync by hand" if window.manual_sync else ""
    return f"{kind} {_text(window)} for {listed(window.clusters)}{by_hand}"


def _by_tool(comparison: Comparison) -> Iterator[Effect]:
    """Yield how many objects differ by the version of gpuplan alone."""
    made = [change for change in comparison.objects if change.by_tool]
    for cluster in sorted({change.ref.cluster for change in made}, key=lambda name: name or ""):
        some = [change for change in made if change.ref.cluster == cluster]
        where = f"cluster {cluster}" if cluster else "Argo CD's own cluster"
        yield Effect(
            fact="tool/version",
            risk=Risk.NONE,
            cluster=cluster,
            subject="gpuplan",
            summary=f"{counted(len(some), 'object')} of {where} differ by the version of gpuplan, not by the spec",
            objects=reading.refs(some),
        )

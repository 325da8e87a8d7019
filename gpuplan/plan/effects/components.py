"""Versions: what programs that others or we install move from and to, and what that does while it happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gpuplan import conventions
from gpuplan.catalog.releases import Component
from gpuplan.model.fleet import Cluster
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs
from gpuplan.plan.effects.pool_pairs import nodes_text
from gpuplan.plan.effects.reading import listed, spec
from gpuplan.plan.parts import Action, Effect, Risk
from gpuplan.plan.state import Ref

TITLES: Mapping[str, str] = {
    "containerToolkit": "container toolkit",
    "dcgm": "DCGM",
    "dcgmExporter": "DCGM exporter",
    "devicePlugin": "device plugin",
    "draDriver": "NVIDIA's DRA driver",
    "driverManager": "driver manager",
    "gpuOperator": "GPU Operator",
    "kueue": "Kueue",
    "migManager": "MIG manager",
    "nfd": "Node Feature Discovery",
}
"""Components in words."""
BY_OTHERS = ("draDriver", "nfd")
"""What is never installed from here."""


CHARTS: Mapping[str, tuple[str, str, str]] = {
    "gpu-operator": ("GPU Operator", "release/gpu-operator", "all its agents restart"),
    "kueue": ("Kueue", "release/kueue", "for 10 to 30 seconds its webhooks do not answer, and new work is refused"),
}
"""A chart → (program, fact on its upgrade, what it does)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A component of a cluster that goes from one version to another."""

    before: Cluster
    after: Cluster
    name: str
    old: Component
    new: Component

    @property
    def title(self) -> str:
        """The component in words."""
        return TITLES.get(self.name, self.name)

    @property
    def text(self) -> str:
        """Its versions in words."""
        return f"{self.title} {self.old.version} → {self.new.version}"


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what other versions do, and those that go back or leave something out."""
    if comparison.old.fleet is None or comparison.new.fleet is None:
        yield from _of_trees(comparison)
    for before, after in comparison.clusters():
        yield from _kubernetes(comparison, before, after)
        for name in sorted(before.components.keys() & after.components.keys()):
            step = Step(before=before, after=after, name=name, old=before.components[name], new=after.components[name])
            if step.old.version != step.new.version:
                yield from _warnings(comparison, step)
                yield from _judged(comparison, step)


def _kubernetes(comparison: Comparison, before: Cluster, after: Cluster) -> Iterator[Effect]:
    if before.kubernetes != after.kubernetes:
        yield Effect(
            fact="release/kubernetes",
            risk=Risk.NONE,
            cluster=after.name,
            subject="Kubernetes",
            summary=f"Kubernetes {before.kubernetes} → {after.kubernetes} is stated: it upgrades nothing, rules go by it",
            causes=pool_pairs.caused(comparison, (*after.path, "kubernetes")),
        )


def _judged(comparison: Comparison, step: Step) -> Iterator[Effect]:
    if step.name == "kueue":
        yield _kueue(comparison, step)
    elif step.name == "gpuOperator":
        yield from _operator(comparison, step)
    elif step.name in BY_OTHERS and _used(step):
        text = f"{step.text} is stated: it upgrades nothing, others install it"
        yield _made(comparison, step, "release/stated", Risk.NONE, text)


def _used(step: Step) -> bool:
    return step.name != "draDriver" or any(pool.exposure.value == "dra" for pool in step.after.pools)


def _kueue(comparison: Comparison, step: Step) -> Effect:
    if not step.after.kueue.managed:
        text = f"{step.text} is stated: it upgrades nothing, others install it, and objects are rendered for it"
        return _made(comparison, step, "release/stated", Risk.NONE, text)
    text = f"{step.text}: for 10 to 30 seconds its webhooks do not answer, and new work is refused; what is admitted runs on"
    return _made(comparison, step, "release/kueue", Risk.LOW, text)


def _operator(comparison: Comparison, step: Step) -> Iterator[Effect]:
    pools = step.after.operator_pools
    if not pools:
        return
    if not step.after.gpu_operator.managed:
        text = (
            f"{step.text} is stated: it upgrades nothing, others install it, and its ClusterPolicy is rendered for it"
        )
        yield _made(comparison, step, "release/stated", Risk.NONE, text)
        return
    sides = [side for side in pool_pairs.new_sides(comparison) if side.home.name == step.after.name]
    served = [side for side in sides if side.pool.name in [pool.name for pool in pools]]
    nodes, cards = pool_pairs.size(served)
    drained = [side for side in served if not side.pool.driver.preinstalled]
    agents = f"all its agents restart on {nodes_text(nodes, cards)}"
    if not drained:
        effect = _made(comparison, step, "release/gpu-operator", Risk.LOW, f"{step.text}: {agents}")
        yield replace(effect, nodes=nodes, cards=cards)
        return
    names = listed(side.pool.name for side in drained)
    count = nodes_text(pool_pairs.size(drained)[0])
    text = (
        f"{step.text}: {agents}; its driver pods are made anew, for which {count} of {names} are drained one at a time"
    )
    effect = _made(comparison, step, "release/gpu-operator-drivers", Risk.DISRUPTIVE, text)
    effect = replace(effect, nodes=nodes, cards=cards, teams=pool_pairs.teams_on(*drained))
    yield from pool_pairs.with_handovers(effect, *drained)


def _warnings(comparison: Comparison, step: Step) -> Iterator[Effect]:
    """Yield what is wrong with the way from one version to the other, for what we install."""
    managed = {"kueue": step.after.kueue.managed, "gpuOperator": step.after.gpu_operator.managed}
    if not managed.get(step.name, False) or (step.name == "gpuOperator" and not step.after.has_operator):
        return
    old, new = step.old.version, step.new.version
    if new < old:
        fix = new.minor == old.minor
        told = (
            "goes back to an earlier fix"
            if fix
            else "goes back: what the newer one has stored, the older one may not understand"
        )
        yield _made(comparison, step, "release/downgrade", Risk.LOW if fix else Risk.DISRUPTIVE, f"{step.text} {told}")
        return
    fleet = comparison.new.fleet
    road = fleet.catalog.operator.road(old, new) if fleet and step.name == "gpuOperator" else None
    if road is not None and len(road) > 2:
        way = " → ".join((str(old), *road[1:-1], str(new)))
        text = f"{step.text} leaves out a release line; the supported way is {way}"
        yield _made(comparison, step, "release/skips-line", Risk.DISRUPTIVE, text)
    for stop in fleet.catalog.upgrades.values() if fleet else ():
        if stop.component == step.name and stop.lies_between(old, new):
            text = f"{step.text} passes {stop.at}: {stop.summary}"
            yield _made(comparison, step, "release/skips-stop", Risk.DISRUPTIVE, text)


def _made(comparison: Comparison, step: Step, fact: str, risk: Risk, text: str) -> Effect:
    path = step.after.path
    return Effect(
        fact=fact,
        risk=risk,
        cluster=step.after.name,
        subject=step.title,
        summary=text,
        objects=tuple(_applications(comparison, step)),
        causes=pool_pairs.caused(comparison, (*path, "release"), (*path, "components", step.name)),
    )


def _applications(comparison: Comparison, step: Step) -> Iterator[Ref]:
    names = {
        "kueue": conventions.kueue_application_name(step.after.name),
        "gpuOperator": conventions.gpu_operator_application_name(step.after.name),
    }
    for change in comparison.of_kind("Application"):
        if change.ref.key.name == names.get(step.name):
            yield change.ref


def _of_trees(comparison: Comparison) -> Iterator[Effect]:
    """Yield what other versions of charts do, where there is no spec that says more."""
    for change in comparison.of_kind("Application", action=Action.UPDATE):
        old, new = (spec(made).get("source", {}) for made in (change.before, change.after))
        chart = CHARTS.get(new.get("chart", ""))
        if chart is None or old.get("chart") != new["chart"] or old["targetRevision"] == new["targetRevision"]:
            continue
        title, fact, does = chart
        drivers = new.get("helm", {}).get("valuesObject", {}).get("driver", {}).get("enabled", False)
        yield Effect(
            fact=f"{fact}-drivers" if drivers else fact,
            risk=Risk.DISRUPTIVE if drivers else Risk.LOW,
            cluster=change.ref.key.name.removeprefix(f"{new['chart']}-"),
            subject=title,
            summary=f"{title} {old['targetRevision']} → {new['targetRevision']}: {does}"
            f"{', and nodes are drained one at a time for new driver pods' if drivers else ''}",
            objects=(change.ref,),
        )

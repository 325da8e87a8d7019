"""Each rule group that was rendered is loaded, with the same rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gpuplan.inventory.metrics.promql import canonical
from gpuplan.verify.loaded import Group, Rule, loaded, rules_of
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

DOC = CheckDoc(
    id="monitoring/rules",
    title="Prometheus has loaded each rule group as it was rendered",
    reads=("prometheus",),
    why="A rule that is in Git and not in Prometheus, or there in another form, alerts nobody of what the team believes it does.",
)
LONGEST = 160
"""Characters of an expression that are shown."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered group."""
    found = loaded(scene)
    words = Words(
        at=scene.place(scene.fleet.monitoring.path),
        good="loaded as it was rendered",
        bad="not loaded as it was rendered",
        fix="Sync the cluster's Argo CD Application, and see that Prometheus selects the PrometheusRule "
        "(`monitoring.selectorLabels`) or reads rendered/prometheus/.",
        look="Name the Prometheus, or the ruler, that evaluates the rules.",
    )
    for group in rules_of(scene.manifests):
        if isinstance(found, str):
            yield verdict(DOC, f"group {group.name}", words, wrong=(), unseen=[found])
            continue
        same = [one for one in found if one.name == group.name]
        wrong = list(_wrong(group, same)) if same else ["no group of this name is loaded"]
        yield verdict(DOC, f"group {group.name}", words, wrong=wrong, right=[f"{len(group.rules)} rules"])


def _wrong(wanted: Group, same: Sequence[Group]) -> Iterator[str]:
    """Say how a group differs from the one that is loaded."""
    if len(same) > 1:
        yield f"it is loaded {len(same)} times: {', '.join(one.file for one in same)}"
    there = same[0]
    if wanted.interval and there.interval > wanted.interval:
        yield f"it is evaluated every {there.interval:g} s, expected {wanted.interval:g} s"
    ours, theirs = _named(wanted.rules), _named(there.rules)
    for key, rules in ours.items():
        yield from _compared(rules, theirs.get(key, []))
    yield from (f"{rules[0]}: no such rule was rendered" for key, rules in theirs.items() if key not in ours)


def _named(rules: Sequence[Rule]) -> Mapping[tuple[bool, str], list[Rule]]:
    """Return the rules by their name: one name may be recorded by many."""
    found: dict[tuple[bool, str], list[Rule]] = {}
    for rule in rules:
        found.setdefault((rule.alerts, rule.name), []).append(rule)
    return found


def _compared(ours: Sequence[Rule], theirs: Sequence[Rule]) -> Iterator[str]:
    """Compare the rules of one name: without what is equal, one by one."""
    left = list(theirs)
    for rule in ours:
        equal = next((one for one in left if _key(one) == _key(rule)), None)
        other = equal or next(
            (one for one in left if one.labels == rule.labels), left[0] if len(ours) == 1 and left else None
        )
        if other is None:
            yield f"{rule}: it is not loaded{_labelled(rule) if len(ours) > 1 else ''}"
            continue
        left.remove(other)
        if equal is None:
            yield from _differences(rule, other)
    if len(theirs) > len(ours):
        yield f"{ours[0]}: it is loaded {len(theirs)} times, rendered {len(ours)} times"


def _key(rule: Rule) -> tuple[object, ...]:
    return canonical(rule.expr), tuple(sorted(rule.labels.items())), rule.wait, rule.hold


def _labelled(rule: Rule) -> str:
    return f" with {', '.join(f'{key}={value}' for key, value in sorted(rule.labels.items()))}"


def _differences(ours: Rule, theirs: Rule) -> Iterator[str]:
    if canonical(ours.expr) != canonical(theirs.expr):
        yield f"{ours}: it is `{_short(theirs.expr)}`, expected `{_short(ours.expr)}`"
    for what, expected, seen in (("for", ours.wait, theirs.wait), ("keep_firing_for", ours.hold, theirs.hold)):
        if expected != seen:
            yield f"{ours}: its `{what}` is {seen:g} s, expected {expected:g} s"
    for label in sorted({*ours.labels, *theirs.labels}):
        if ours.labels.get(label) != theirs.labels.get(label):
            yield f"{ours}: its label {label} is {theirs.labels.get(label)!r}, expected {ours.labels.get(label)!r}"


def _short(text: str) -> str:
    line = canonical(text)
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"

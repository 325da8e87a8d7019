"""Whom the rendered alerts are for, by the spec: each team of a cluster and the platform, with the labels of their alerts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gpuplan.diagnostics import KeyPath
from gpuplan.emit.monitoring.alerts import PLATFORM_TEAM
from gpuplan.inventory.items import Item
from gpuplan.inventory.metrics.matchers import Matcher
from gpuplan.inventory.metrics.routing import Routing, routing
from gpuplan.verify.loaded import rules_of
from gpuplan.verify.scene import Scene

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Those whom some alerts are for. `receiver` is empty where the spec names none."""

    name: str
    receiver: str
    alerts: tuple[Labels, ...]
    """The labels of each alert that are known: its name, severity, team and cluster."""
    path: KeyPath


@dataclass(frozen=True, eq=False)
class Silence:
    """A silence that is in force."""

    said: Mapping[str, Any]

    @cached_property
    def matchers(self) -> tuple[Matcher, ...]:
        """Its conditions, all of which an alert must meet."""
        return tuple(
            Matcher(
                one["name"].text(),
                _operator(one["isRegex"].flag(), one["isEqual"].flag(otherwise=True)),
                one["value"].text(),
            )
            for one in Item.plain(dict(self.said)).root["matchers"].items()
        )

    def mutes(self, labels: Labels) -> bool:
        """Tell whether an alert with at least these labels is silent, whatever its others are."""
        return all(one.matches(labels) for one in self.matchers)

    def __str__(self) -> str:
        conditions = ", ".join(map(str, self.matchers))
        said = f": {self.said['comment']}" if self.said.get("comment") else ""
        who, until = self.said.get("createdBy") or "nobody", self.said.get("endsAt")
        return f"silence {self.said.get('id', '')} of {{{conditions}}} by {who} until {until}{said}"


def _operator(is_regex: bool, is_equal: bool) -> str:  # noqa: FBT001 - two flags of Alertmanager's API
    return {(False, True): "=", (False, False): "!=", (True, True): "=~", (True, False): "!~"}[is_regex, is_equal]


def audiences(scene: Scene) -> Iterator[Audience]:
    """Yield each team of the cluster that alerts can be for, and the platform; who has no receiver is told by the platform's."""
    told = scene.fleet.monitoring.alertmanager
    rules = [rule for group in rules_of(scene.manifests) for rule in group.rules if rule.alerts]
    fixed = {"cluster": scene.cluster.name}
    by_team = [{**fixed, **rule.labels, "alertname": rule.name} for rule in rules if not rule.labels.get("team")]
    for team in sorted(scene.cluster.teams, key=lambda team: team.name):
        if team.name != PLATFORM_TEAM and by_team:
            alerts = tuple({**labels, "team": team.name} for labels in by_team)
            receiver, path = (team.receiver, (*team.path, "alerts")) if team.receiver else (told.platform, team.path)
            yield Audience(name=f"team {team.name}", receiver=receiver, alerts=alerts, path=path)
    own = tuple(
        {**fixed, **rule.labels, "alertname": rule.name} for rule in rules if rule.labels.get("team") == PLATFORM_TEAM
    )
    if own:
        yield Audience(name="the platform", receiver=told.platform, alerts=own, path=told.path)


def loaded_routing(scene: Scene) -> Routing:
    """Return what Alertmanager's configuration says."""
    asked = scene.observed.alertmanager
    return routing(asked.answers.get("config") or {} if asked else {})


def silences(scene: Scene) -> tuple[Silence, ...] | str:
    """Return the silences that are in force, or why they are not known."""
    asked = scene.observed.alertmanager
    found = asked.answers.get("silences") if asked else None
    if isinstance(found, list):
        return tuple(map(Silence, found))
    return str(found.get("problem")) if isinstance(found, Mapping) else "they were not asked for"

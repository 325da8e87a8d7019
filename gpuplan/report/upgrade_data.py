"""The upgrades of clusters as data: what programs get, and what terminal and runbook are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gpuplan.catalog import Component
from gpuplan.catalog.operator import line_name
from gpuplan.diagnostics import Diagnostic
from gpuplan.model.fleet import Fleet
from gpuplan.moving.upgrade import Road, Step, Upgrade
from gpuplan.moving.upgrade_edits import edit
from gpuplan.moving.upgrade_effects import Restarting
from gpuplan.moving.upgrade_problems import Met
from gpuplan.moving.upgrade_target import Change
from gpuplan.rules.judgement import Judgement

FORMAT_VERSION = "1.0"
Data = dict[str, Any]


def data(fleet: Fleet, upgrades: Iterable[Upgrade]) -> Data:
    """Return the upgrades for programs."""
    return {
        "format_version": FORMAT_VERSION,
        "fleet": fleet.name,
        "clusters": [_cluster(fleet, one) for one in upgrades],
    }


def _cluster(fleet: Fleet, upgrade: Upgrade) -> Data:
    release, kubernetes = upgrade.target.release, upgrade.target.kubernetes
    return {
        "name": upgrade.cluster.name,
        "from": {"release": upgrade.cluster.release.name, "kubernetes": str(upgrade.cluster.kubernetes)},
        "to": {
            "release": release.name if release else upgrade.cluster.release.name,
            "kubernetes": str(kubernetes or upgrade.cluster.kubernetes),
        },
        "possible": not upgrade.refused,
        "pointOfNoReturn": upgrade.point_of_no_return or None,
        "components": [_change(one) for one in upgrade.changes],
        "steps": [_step(fleet, upgrade, step) for step in upgrade.steps],
        "refused": [_refusal(one) for one in upgrade.refused],
        "road": _road(fleet, upgrade.road) if upgrade.road else None,
        "back": [
            {**_change(change), "way": row.back, "until": row.until, "oneWay": row.one_way, "source": row.source}
            for change, row in upgrade.back
        ],
    }


def _change(change: Change) -> Data:
    return {
        "component": change.component,
        "pool": change.pool or None,
        "from": str(change.old) if change.old else None,
        "to": str(change.new),
        "size": change.size.value,
        "used": change.used,
        "pinned": change.pinned,
    }


def _step(fleet: Fleet, upgrade: Upgrade, step: Step) -> Data:
    part, made = step.move.part, edit(fleet, upgrade, step)
    return {
        "number": step.number,
        "title": step.title,
        "release": step.move.release.name if step.move.release else None,
        "why": {"reason": part.reason, "source": part.source, "checked": part.checked.isoformat()},
        "changes": [_change(one) for one in step.changes],
        "compatible": step.untried.is_clean,
        "judged": [_cell(where, cell) for where, cell in step.judged],
        "untried": [_cell(where, cell) for where, cell in step.untried.cells],
        "restarts": [_restart(one) for one in step.restarts],
        "problems": [_problem(one) for one in step.problems],
        "edit": {"at": str(made.at), "write": made.write, "remove": list(made.remove)},
        "until": f"gpuplan verify --cluster {upgrade.cluster.name}",
        "rollback": {
            "way": step.rollback.back,
            "until": step.rollback.until,
            "oneWay": step.rollback.one_way,
            "source": step.rollback.source,
        },
    }


def _cell(pool: str, cell: Judgement) -> Data:
    return {
        "pool": pool or None,
        "what": cell.aspect,
        "verdict": cell.verdict.value,
        "here": cell.here,
        "known": cell.known or None,
        "source": cell.source or None,
    }


def _restart(one: Restarting) -> Data:
    return {
        "pools": [pool.name for pool in one.pools],
        "nodes": one.nodes,
        "pods": one.pods,
        "gpuPodsSurvive": one.survives,
        "stateful": [{"taskPool": name, "drainSeconds": seconds} for name, seconds in one.stateful],
        "fact": one.fact.id,
        "does": one.fact.does,
        "source": one.fact.source,
        "checked": one.fact.checked.isoformat(),
    }


def _problem(met: Met) -> Data:
    one = met.problem
    return {
        "id": one.name,
        "component": one.component,
        "version": str(met.version),
        "pools": list(met.pools),
        "onlyIf": one.only_if or None,
        "summary": one.summary,
        "remedy": one.remedy,
        "source": one.source,
        "checked": one.checked.isoformat(),
    }


def _refusal(found: Diagnostic) -> Data:
    return {"rule": found.rule, "at": str(found.at), "summary": found.summary, "fix": found.fix}


def _road(fleet: Fleet, road: Road) -> Data:
    return {"component": road.component, "stations": list(road.stations), "commands": list(_commands(fleet, road))}


def _commands(fleet: Fleet, road: Road) -> Iterator[str]:
    """Yield a command for each station after the first: by a release set that has it, else by a version of it."""
    for station in road.stations[1:]:
        sets = [
            name
            for name, release in fleet.catalog.releases.items()
            if _is_at(release.components.get(road.component), station)
        ]
        if sets:
            yield f"gpuplan upgrade --to {sets[-1]}"
        else:
            yield f"gpuplan upgrade --component {road.component}=<a version of {station}>"


def _is_at(component: Component | None, station: str) -> bool:
    return component is not None and station in (str(component.version), line_name(component.version))

"""Drivers that an operator installs: which nodes are drained for another one, and which lose theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gpuplan import conventions
from gpuplan.plan.comparison import Comparison
from gpuplan.plan.effects import pool_pairs, reading
from gpuplan.plan.effects.pool_pairs import Side
from gpuplan.plan.effects.reading import Object, listed, spec
from gpuplan.plan.parts import Action, Effect, ObjectChange, Risk
from gpuplan.plan.state import Ref

NVIDIA, AMD = "NVIDIADriver", "DeviceConfig"
POLICY = "upgradePolicy"
"""How nodes are emptied for another driver: it changes nothing on nodes that need none."""
SELECTOR = "nodeSelector"
IMMUTABLE = ("driverType", "usePrecompiled")


def effects(comparison: Comparison) -> Iterator[Effect]:
    """Yield what becomes of the drivers of pools."""
    pools = _pools(comparison)
    there = frozenset(pair.new.pool.name for pair in pool_pairs.staying(comparison))
    for change in reading.changes(comparison, NVIDIA):
        side = pools.get((reading.new_cluster(comparison, change), change.ref.key.name))
        if change.action is Action.CREATE:
            yield from _new_driver(comparison, change, side, there)
        else:
            yield from _judged(comparison, change, side)
    by_name = {side.pool.name: side for side in pools.values()}
    for change in reading.changes(comparison, AMD):
        yield from _device_config(comparison, change, by_name.get(change.ref.key.name))


def _pools(comparison: Comparison) -> dict[tuple[str, str], Side]:
    """Return the pools by (cluster, name of their NVIDIADriver), those of the new side before those of the old one."""
    found: dict[tuple[str, str], Side] = {}
    for side in (*pool_pairs.new_sides(comparison), *pool_pairs.old_sides(comparison)):
        cluster = comparison.moves.new_name("clusters", side.home.name)
        found.setdefault((cluster, conventions.nvidia_driver_name(side.pool.name)), side)
    return found


def _judged(comparison: Comparison, change: ObjectChange, side: Side | None) -> Iterator[Effect]:
    old, new = spec(change.before), spec(change.after)
    pool = side.pool.name if side else change.ref.key.name.removeprefix(conventions.OWN_PREFIX)
    where = side.text if side else "its nodes"
    if change.was is not None and change.was.key != change.ref.key:
        text = f"its driver has another name: two drivers match {where} until a person confirms that the old one goes, then they "
        yield from _drained(comparison, change, side, "driver/renamed", f"pool {pool}: {text}install anew")
    elif change.action is Action.REPLACE:
        text = f"pool {pool}: {change.reason}; the sync fails until its NVIDIADriver is taken away and made anew"
        yield from _drained(comparison, change, side, "driver/immutable", text)
    elif change.action is Action.DELETE:
        text = f"pool {pool}: its driver leaves {where} once a person confirms it, and with it every card"
        yield from _drained(comparison, change, side, "driver/removed", text)
    else:
        yield from _updated(comparison, change, side, (old, new))


def _updated(
    comparison: Comparison, change: ObjectChange, side: Side | None, both: tuple[Object, Object]
) -> Iterator[Effect]:
    """Yield the effect of another version, of other settings of the driver's pods, or of how upgrades go."""
    old, new = both
    differing = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    subject = f"pool {side.pool.name}" if side else f"NVIDIADriver {change.ref.key.name}"
    where = side.text if side else "its nodes"
    grace = _grace(new)
    if SELECTOR in differing:
        text = (
            f"{subject}: its driver is for nodes with {_labels(new)} now; nodes without lose it, and with it every card"
        )
        yield from _drained(comparison, change, side, "driver/selector", text)
    elif "version" in differing:
        text = (
            f"{subject}: driver {old.get('version')} → {new.get('version')}: {where} are drained one at a time{grace}"
        )
        yield from _drained(comparison, change, side, "driver/upgrade", text)
    elif differing and differing != [POLICY]:
        text = f"{subject}: {listed(differing)} of its driver change: {where} are drained one at a time{grace}"
        yield from _drained(comparison, change, side, "driver/settings", text)
    elif differing:
        text = f"{subject}: the next driver is brought to {where} in another way{grace}; no node is drained now"
        effect = _effect(comparison, change, side, "driver/upgrade-policy", text)
        yield replace(effect, risk=Risk.NONE, teams=())


def _grace(driver: Object) -> str:
    seconds = driver.get(POLICY, {}).get("drain", {}).get("timeoutSeconds")
    return f", each within {seconds} s" if seconds else ""


def _labels(driver: Object) -> str:
    return listed(f"{key}={value}" for key, value in sorted(driver.get(SELECTOR, {}).items()))


def _new_driver(
    comparison: Comparison, change: ObjectChange, side: Side | None, there: frozenset[str]
) -> Iterator[Effect]:
    """Yield what a new driver does: nothing on new nodes, and a drain where nodes are there that had another one."""
    pool, where = (side.pool.name, side.text) if side else (change.ref.key.name, "its nodes")
    text = f"pool {pool}: the operator installs driver {spec(change.after).get('version')} on {where}"
    if side is None or side.pool.name in there:
        yield from _drained(comparison, change, side, "driver/added", f"{text}, one at a time, drained first")
    else:
        yield replace(_effect(comparison, change, side, "driver/installed", text), risk=Risk.NONE, teams=())


def _drained(comparison: Comparison, change: ObjectChange, side: Side | None, fact: str, text: str) -> Iterator[Effect]:
    """Yield an effect that empties the pool's nodes."""
    effect = _effect(comparison, change, side, fact, text)
    yield from pool_pairs.with_handovers(effect, *([side] if side else []))


def _effect(comparison: Comparison, change: ObjectChange, side: Side | None, fact: str, text: str) -> Effect:
    subject = f"pool {side.pool.name}" if side else f"{change.ref.key.kind} {change.ref.key.name}"
    objects: tuple[Ref, ...] = (change.ref,)
    return Effect(
        fact=fact,
        risk=Risk.DISRUPTIVE,
        cluster=reading.new_cluster(comparison, change),
        subject=subject,
        summary=text,
        objects=objects,
        causes=change.causes,
        teams=pool_pairs.teams_on(side) if side else (),
        nodes=side.nodes if side else 0,
        cards=side.cards if side else 0,
    )


def _device_config(comparison: Comparison, change: ObjectChange, side: Side | None) -> Iterator[Effect]:
    """Yield what becomes of the agents and the driver of a pool of AMD cards."""
    old, new = spec(change.before), spec(change.after)
    name = change.ref.key.name
    where = side.text if side else "its nodes"
    if change.action is Action.CREATE:
        text = f"pool {name}: AMD's operator starts its agents on {where}"
        yield replace(_effect(comparison, change, side, "amd/agents-start", text), risk=Risk.NONE, teams=())
    elif change.action is not Action.UPDATE:
        text = f"pool {name}: AMD's operator takes its agents, and a driver of its own, off {where} once a person confirms it"
        yield from _drained(comparison, change, side, "amd/removed", text)
    elif _driver(old) != _driver(new):
        text = f"pool {name}: {_driver(old)} → {_driver(new)}: {where} are drained and restarted one at a time"
        yield from _drained(comparison, change, side, "amd/driver", text)
    elif _without_policy(old) == _without_policy(new):
        text = f"pool {name}: the next driver is brought to {where} in another way; no node is drained now"
        yield replace(_effect(comparison, change, side, "driver/upgrade-policy", text), risk=Risk.NONE, teams=())
    else:
        parts: Sequence[str] = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
        text = f"pool {name}: AMD's operator changes {listed(parts)} on {where}, and restarts the agents concerned"
        yield replace(_effect(comparison, change, side, "amd/agents-roll", text), risk=Risk.LOW, teams=())


def _without_policy(config: Object) -> Object:
    driver = {key: value for key, value in config.get("driver", {}).items() if key != POLICY}
    return {**config, "driver": driver}


def _driver(config: Object) -> str:
    """Return the driver that AMD's operator installs, in words."""
    driver = config.get("driver", {})
    return f"driver {driver.get('version', '')}" if driver.get("enable") else "the nodes' own driver"

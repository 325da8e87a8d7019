"""Which entry of the spec holds what a configuration says, and what of it no entry holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gpuplan.importer import sharing
from gpuplan.importer.pool import Pool
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Config, Format, Object
from gpuplan.inventory.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """Where the meaning of an object or a file is."""

    where: str
    """The entries of the spec; empty where none holds any of it."""
    missing: tuple[str, ...] = ()
    """Keys of it that no entry holds."""
    at: str = ""
    """Its place, for what is no object."""
    left: str = ""
    """Why it is left as it is, where it is."""


_OPERATOR = ("mig.strategy", "devicePlugin.config", "migManager.config", "dcgmExporter.config")
SAID: Mapping[Format, tuple[str, ...]] = {
    Format.PLUGIN: ("version", "sharing", "flags.migStrategy"),
    Format.MIG_PARTED: ("version", "mig-configs"),
    Format.OPERATOR_VALUES: _OPERATOR,
    Format.PLUGIN_VALUES: ("config", "migStrategy"),
}
"""Keys that an import reads, by format; all others are listed as missing."""
_ENTRIES: Mapping[Format, str] = {
    Format.OPERATOR_VALUES: "clusters.{cluster}.stack",
    Format.PLUGIN_VALUES: "clusters.{cluster}.stack",
    Format.COUNTERS: "monitoring.exporter.counters",
}
DEPTH = 2
"""How deep missing keys are told: `driver.version`."""


def has_kueue(inventory: Inventory) -> bool:
    """Tell whether the files show that Kueue is installed: there are queues."""
    return any(inventory.of("ClusterQueue", "LocalQueue", "ResourceFlavor"))


def spoken(cluster: str, inventory: Inventory, pools: Iterable[Pool]) -> dict[str, Spoken]:
    """Return where the meaning of configurations is, by the object or file that holds them as it is called."""
    made = tuple(pools)
    found: dict[str, Spoken] = {}
    for policy in inventory.of("ClusterPolicy"):
        entry = Spoken(where=f"clusters.{cluster}.stack", missing=tuple(unsaid(policy.spec, _OPERATOR)))
        found[str(policy)] = entry
    for driver in inventory.of("NVIDIADriver"):
        found[str(driver)] = Spoken(where=f"clusters.{cluster}.stack", missing=tuple(unsaid(driver.spec, ())))
    for config in inventory.configs:
        holder = config.holder
        name = str(holder) if isinstance(holder, Object) else called(config)
        one = _of(cluster, config, made, kueue_stays=has_kueue(inventory))
        before = found.get(name)
        found[name] = _both(before, one) if before is not None else one
    return found


def called(config: Config) -> str:
    """Return what a configuration that stands in no object is called: its format, and its key where it has one."""
    return f"{config.format.value} {config.name}".strip()


def unsaid(view: View, said: Iterable[str], start: str = "", depth: int = DEPTH) -> Iterator[str]:
    """Yield the keys of a mapping that are neither said nor hold something said."""
    known = tuple(said)
    for key, value in view.entries():
        path = f"{start}{key}"
        if path in known:
            continue
        deeper = value.is_mapping and (depth > 1 or any(one.startswith(f"{path}.") for one in known))
        if deeper and any(True for _ in value.entries()):
            yield from unsaid(value, known, f"{path}.", depth - 1)
        else:
            yield path


def _of(cluster: str, config: Config, pools: tuple[Pool, ...], *, kueue_stays: bool) -> Spoken:
    at = str(config.root.span)
    if config.format is Format.MIG_PARTED:
        return _of_table(config, pools, at)
    if config.format is Format.PLUGIN:
        named = _with(pools, sharing.of_profile(config).value)
        missing = (*unsaid(config.root, SAID[Format.PLUGIN]), *(() if named else ("sharing",)))
        return Spoken(where=", ".join(named), missing=missing, at=at)
    if config.format in (Format.KUEUE, Format.KUEUE_VALUES) and kueue_stays:
        return Spoken(where="", at=at, left=f"Kueue stays as it is installed: `clusters.{cluster}.kueue: external`")
    where = _ENTRIES.get(config.format, "").format(cluster=cluster)
    known = config.format is Format.COUNTERS
    return Spoken(where=where, missing=() if known else tuple(unsaid(config.root, SAID.get(config.format, ()))), at=at)


def _of_table(config: Config, pools: tuple[Pool, ...], at: str) -> Spoken:
    """Return which pools are cut as an entry of the table says, and which entries no pool is cut by."""
    where: list[str] = []
    missing: list[str] = []
    for name, groups in config.root["mig-configs"].entries():
        named = {
            one
            for pool in pools
            for strategy in ("single", "mixed", "")
            if sharing.of_table(groups, strategy, pool.cards_per_node, pool.card).value == pool.sharing
            for one in (f"nodePools.{pool.name}.sharing",)
        }
        where += sorted(named)
        missing += [] if named else [f"mig-configs.{name}"]
    return Spoken(where=", ".join(dict.fromkeys(where)), missing=tuple(missing), at=at)


def _with(pools: tuple[Pool, ...], value: object) -> list[str]:
    return [f"nodePools.{pool.name}.sharing" for pool in pools if pool.sharing == value]


def _both(one: Spoken, other: Spoken) -> Spoken:
    where = dict.fromkeys(part for each in (one, other) for part in each.where.split(", ") if part)
    return Spoken(where=", ".join(where), missing=(*one.missing, *other.missing), at=one.at, left=one.left)

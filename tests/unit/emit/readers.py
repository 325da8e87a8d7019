"""Models of the programs that read our files, as lenient and as strict as the real ones.

`cut` is mig-parted (api/spec/v1 and cmd/nvidia-mig-parted, v0.14 to v0.15), `offered` the device plugin (api/config/v1 and
internal/rm, v0.20). Both work on a node's cards; what they make of our files must be what the model promises.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

AS_FOUND = {"as found": 1}
"""A card that mig-parted does not touch."""
Cards = list[dict[str, int] | None]
"""Each card of a node: None while MIG is off, else its instances by profile."""

_PROFILE = re.compile(r"(\d+c\.)?\d+g\.\d+gb([+-](me|me\.all|gfx)(,(me|me\.all|gfx))*)?")


class Refused(Exception):  # noqa: N818 - a refusal is no error of ours
    """What the real program refuses, with its reason."""


def cut(text: str, selected: str, cards: int) -> Cards:
    """Return the cards of a node after mig-parted has applied one named layout."""
    document = yaml.safe_load(text)
    _only(document, {"version", "mig-configs"})
    if document.get("version") != "v1":
        raise Refused(f"unknown version: {document.get('version')}")
    layouts = document["mig-configs"]
    if selected not in layouts:
        raise Refused(f"no such layout: {selected}")
    if not layouts[selected]:
        raise Refused("at least one entry is required")
    made: Cards = [AS_FOUND] * cards
    for entry in layouts[selected]:
        instances = _entry(entry)
        for index in range(cards) if entry["devices"] == "all" else entry["devices"]:
            if index < cards:  # beyond the last card: ignored without a word
                made[index] = instances
    return made


def _entry(entry: Mapping[str, Any]) -> dict[str, int] | None:
    _only(entry, {"device-filter", "devices", "mig-enabled", "mig-devices"})
    if "devices" not in entry or "mig-enabled" not in entry:
        raise Refused("missing required field")
    if entry["devices"] != "all" and not all(type(index) is int for index in entry["devices"]):
        raise Refused(f"invalid input for 'devices': {entry['devices']}")
    instances = entry.get("mig-devices")
    if not entry["mig-enabled"]:
        if instances:
            raise Refused("MIG devices included when 'mig-enabled' is false")
        return None
    if instances is None:
        raise Refused("missing required field 'mig-devices'")
    if any(not _PROFILE.fullmatch(profile) or count < 0 for profile, count in instances.items()):
        raise Refused(f"invalid format: {instances}")
    if instances and not any(instances.values()):
        raise Refused("all counts are 0")
    return dict(instances)


def _only(mapping: Mapping[str, Any], known: set[str]) -> None:
    for key in mapping.keys() - known:
        raise Refused(f"unexpected field: {key}")


def offered(text: str, cards: Sequence[dict[str, int] | None], mig_strategy: str = "") -> dict[str, int]:
    """Return the resources that the device plugin registers on a node, with their numbers.

    `mig_strategy` is its environment variable MIG_STRATEGY, which beats the file; empty where it has none.
    """
    config = yaml.safe_load(text)
    if config.get("version", "v1") != "v1":
        raise Refused(f"unknown version: {config['version']}")
    strategy = mig_strategy or config.get("flags", {}).get("migStrategy", "none")
    shares = _shares(config.get("sharing") or {}, strategy)
    devices = _devices(cards, strategy)
    if shares is None:
        return devices
    name, replicas, renamed = shares
    if name not in devices:  # an entry that matches nothing is skipped without a word
        return devices
    shared = devices.pop(name) * replicas
    return {**devices, renamed: shared}


def _shares(sharing: Mapping[str, Any], strategy: str) -> tuple[str, int, str] | None:
    """Return (resource, replicas, name of the shares). Unknown keys vanish; MPS wins where both kinds are there."""
    parsed = {kind: _replicated(sharing[kind]) for kind in ("timeSlicing", "mps") if kind in sharing}
    if "mps" in parsed and strategy == "mixed":
        raise Refused("using --mig-strategy=mixed is not supported with MPS")
    return parsed.get("mps") or parsed.get("timeSlicing")


def _replicated(section: Mapping[str, Any]) -> tuple[str, int, str]:
    if not section.get("resources"):
        raise Refused("no resources specified")
    (resource,) = section["resources"]
    if "name" not in resource:
        raise Refused("no resource name specified")
    if resource.get("replicas", 0) < 2:
        raise Refused("number of replicas must be >= 2")
    name = resource["name"] if resource["name"].startswith("nvidia.com/") else f"nvidia.com/{resource['name']}"
    return name, resource["replicas"], f"{name}.shared" if section.get("renameByDefault") else name


def _devices(cards: Sequence[dict[str, int] | None], strategy: str) -> dict[str, int]:
    if strategy == "none":
        return {"nvidia.com/gpu": len(cards)}
    cuts = [card for card in cards if card is not None]
    if any(not sum(card.values()) for card in cuts):
        raise Refused("at least one device with migEnabled=true was not configured correctly")
    whole = len(cards) - len(cuts)
    made: dict[str, int] = {"nvidia.com/gpu": whole} if whole else {}
    if strategy == "single":
        if len({profile for card in cuts for profile in card}) > 1:
            raise Refused("more than one MIG device type present on node")
        if whole and cuts:
            raise Refused("all devices on the node must be configured with the same migEnabled value")
        return made or {"nvidia.com/gpu": sum(sum(card.values()) for card in cuts)}
    for card in cuts:
        for profile, count in card.items():
            name = "nvidia.com/mig-" + profile.replace("+", ".")
            made[name] = made.get(name, 0) + count
    return made

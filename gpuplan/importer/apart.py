"""Pools of one cluster get different names, and labels by which nobody takes the nodes of one for those of another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from gpuplan.importer import sharing
from gpuplan.importer.cards import PRODUCT_LABELS
from gpuplan.importer.dividing import CHOOSING, REPLICAS
from gpuplan.importer.machines import COUNTING
from gpuplan.importer.pool import Pool
from gpuplan.importer.shared_out import GROUPS, MACHINE

TELLING = (
    *GROUPS,
    *CHOOSING,
    *PRODUCT_LABELS,
    *MACHINE,
    "karpenter.sh/capacity-type",
    "eks.amazonaws.com/capacityType",
    "kubernetes.azure.com/scalesetpriority",
    *COUNTING,
    REPLICAS,
)
"""Labels by which people and providers tell nodes apart, best first."""
_OF_ONE_NODE = ("kubernetes.io/hostname", "topology.kubernetes.io/", "failure-domain.beta.kubernetes.io/")
_LONGEST = 63
_ROOM_FOR_SHARING = 20
_OWN_CARD = "-card"
SAME_LABELS = "Its nodes bear the same labels as those of pool `{}`: give them one of their own."
AMONG = "Its nodes are among those that the labels of pool `{}` select: give the others a label of their own."
NOTHING_LEFT = (
    "No label tells its nodes from those of pool `{}`, which its labels select as well: give them one of their own."
)


def apart(made: list[Pool]) -> tuple[Pool, ...]:
    """Give pools of one name different ones, and to those whose labels select others' nodes as well more labels of their own.

    A pool whose nodes cannot be told from another's stays out of the spec, and is said to.
    """
    chosen = _chosen(made)
    told = [_told(pool, [other for other in chosen if other is not pool]) for pool in chosen]
    return tuple(_without_clashes(_named(told)))


def slug(text: str) -> str:
    """Return a text as a name of the spec: lower-case letters, digits and dashes."""
    made = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in text.casefold())
    return "-".join(part for part in made.split("-") if part)[:_LONGEST].strip("-")


def _chosen(made: list[Pool]) -> list[Pool]:
    """Add to pools that the same labels select the label of their layout."""
    alike = Counter(tuple(sorted(pool.labels.items())) for pool in made)
    several = [alike[tuple(sorted(pool.labels.items()))] > 1 for pool in made]
    return [
        replace(pool, labels={**pool.labels, **pool.chosen_by}) if more else pool
        for pool, more in zip(made, several, strict=True)
    ]


def _told(pool: Pool, others: list[Pool]) -> Pool:
    """Add labels that all nodes of a pool bear, until they select no node of another."""
    if not pool.members or not pool.has_cards:
        return pool
    labels = dict(pool.labels)
    common = set.intersection(*(set(one.labels.items()) for one in pool.members))
    own = {key: value for key, value in common if not key.startswith(_OF_ONE_NODE)}
    foreign = [one.labels for other in others for one in other.members]
    foreign += [other.labels for other in others if not other.members and other.labels]
    for key in (*(key for key in TELLING if key in own), *sorted(own.keys() - TELLING)):
        wrong = [one for one in foreign if labels.items() <= one.items()]
        if wrong and key not in labels and any(one.get(key) != own[key] for one in wrong):
            labels[key] = own[key]
    return replace(pool, labels=labels) if not any(labels.items() <= one.items() for one in foreign) else pool


def _named(made: list[Pool]) -> list[Pool]:
    """Number pools of one name, those last that stay out of the spec anyway."""
    seen: Counter[str] = Counter()
    names: dict[int, str] = {}
    for number, pool in sorted(enumerate(made), key=lambda one: bool(one[1].beyond)):
        name = _short(pool)
        seen[name] += 1
        names[number] = name if seen[name] == 1 else f"{name[: _LONGEST - 3]}-{seen[name]}"
    return [replace(pool, name=names[number]) for number, pool in enumerate(made)]


def _short(pool: Pool) -> str:
    """Return a pool's name, so short that with its card and sharing it makes the name of a flavor."""
    name = slug(pool.name) or "pool"
    room = _LONGEST - 1 - (_ROOM_FOR_SHARING if pool.sharing != sharing.EXCLUSIVE else 0)
    room = room - len(pool.card.name) if pool.card is not None else (room - len(_OWN_CARD)) // 2
    if len(name) <= room:
        return name
    return (name[: room + 1].rpartition("-")[0] or name[:room]).strip("-")


def _without_clashes(made: list[Pool]) -> Iterator[Pool]:
    """Leave out a pool for each two that cannot be told apart."""
    out: dict[str, str] = {}
    cards = [pool for pool in made if pool.has_cards and not pool.beyond]
    for first, second in combinations(cards, 2):
        if first.name in out or second.name in out:
            continue
        if first.labels.items() == second.labels.items():
            out[second.name] = SAME_LABELS.format(first.name)
            continue
        general, special = sorted((first, second), key=lambda one: len(one.labels))
        if general.labels and general.labels.items() <= special.labels.items():
            if general.members or special.members:
                out[general.name] = NOTHING_LEFT.format(special.name)
            else:
                out[special.name] = AMONG.format(general.name)
    for pool in made:
        yield replace(pool, beyond=out[pool.name]) if pool.name in out else pool

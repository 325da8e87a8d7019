"""Kueue objects for the oracle: sound ones of both versions, and what becomes of them when somebody slips.

Every object is made by a seeded generator, so that a run is the same everywhere. A slip changes one place, sometimes two: it
takes a value away, puts one of another kind or an odd one of the same kind, misspells a key, repeats, swaps or drops an item, or
takes a value from elsewhere in the object.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.controlplane.lint_sound import SOUND, Json, sound

ODD_TEXTS = (
    *("", "A", "a_b", "-a", "a.", "a b", "a/b", "a/b/c", "x" * 64, "x" * 254, f"{'x' * 63}/{'y' * 63}", "ä", "a,b"),
    *(
        "Any",
        "Never",
        "None",
        "Exists",
        "In",
        "true",
        "0",
        "*",
        "kubernetes.io/hostname",
        "nvidia.com/gpu",
        "N/a",
        "acme.io/",
    ),
)
ODD_AMOUNTS: tuple[Json, ...] = (
    *(
        0,
        1,
        -1,
        3,
        1.5,
        10**12,
        10**19,
        10**30,
        "0",
        "-1",
        "-0",
        "1.5",
        "1e3",
        "1E2",
        "500m",
        "1Gi",
        "1n",
        "0.5n",
        "2n",
        "-1n",
    ),
    *("1gi", "1 Gi", "many", "", ".5", "5.", "+4", "1e", "1e400", "99999999999999999999", "9Ei", "0x10", "1_000"),
)
ODD_KINDS: tuple[Json, ...] = (
    None,
    True,
    7,
    2**31,
    -5,
    1.5,
    "text",
    [],
    {},
    [None],
    ["a"],
    [1],
    {"a": "b"},
    {"a": 1},
    [{}],
)
WORDS = (
    *(
        "Any",
        "Never",
        "LowerPriority",
        "LowerOrNewerEqualPriority",
        "TryNextFlavor",
        "MayStopSearch",
        "Borrow",
        "Preempt",
    ),
    *("StrictFIFO", "BestEffortFIFO", "Hold", "HoldAndDrain", "None", "NoSchedule", "NoExecute", "Equal", "Exists"),
    *("BorrowingOverPreemption", "PreemptionOverBorrowing", "UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"),
)
AMOUNTS = frozenset({"nominalQuota", "borrowingLimit", "lendingLimit", "weight", "value", "maxPriorityThreshold"})

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """An object, and how it was made."""

    obj: dict[str, Any]
    how: str


def tried(count: int, seed: int = 7) -> Sequence[Tried]:
    """Return so many objects without repeats: every way to spoil each of the written ones, and random ones."""
    chance = random.Random(seed)
    made: dict[str, Tried] = {}
    for one in (*_written(chance), *_random(chance, count * 2)):
        made.setdefault(repr(one.obj), one)
        if len(made) == count:
            break
    return list(made.values())


def _written(chance: random.Random) -> Iterator[Tried]:
    for name, obj in SOUND.items():
        yield Tried(obj, f"{name}, as it is")
        for path in spoilable(obj):
            yield from slips(chance, name, obj, path, 2)


def _random(chance: random.Random, count: int) -> Iterator[Tried]:
    for number in range(count):
        obj = sound(chance)
        name = f"{obj['kind']} of {obj['apiVersion']} number {number}"
        if number % 5 == 0:
            yield Tried(obj, name)
            continue
        for one in slips(chance, name, obj, chance.choice(spoilable(obj)), 1):
            if number % 4 == 0:
                again = [path for path in paths(one.obj) if path[0] == "spec"] or [("spec",)]
                yield from (
                    Tried(two.obj, f"{one.how}; {two.how}")
                    for two in slips(chance, "", one.obj, chance.choice(again), 1)
                )
            else:
                yield one


def paths(value: Json, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every value inside a value."""
    pairs: Iterator[tuple[str | int, Any]] = iter(())
    if isinstance(value, dict):
        pairs = iter(value.items())
    elif isinstance(value, list):
        pairs = iter(enumerate(value))
    for key, inner in pairs:
        yield (*path, key)
        yield from paths(inner, (*path, key))


def spoilable(obj: dict[str, Any]) -> Sequence[Path]:
    """Return the paths of an object at which somebody may slip without making another kind of it."""
    return [path for path in paths(obj) if path[0] not in ("apiVersion", "kind") and path != ("metadata",)]


def slips(chance: random.Random, name: str, obj: dict[str, Any], path: Path, count: int) -> Iterator[Tried]:
    """Yield the object with slips of so many sorts at a path; those that cannot be made there are left out."""
    for kind in chance.sample(sorted(SLIPS), count):
        changed = copy.deepcopy(obj)
        inside: Any = changed
        try:
            for key in path[:-1]:
                inside = inside[key]
            said = SLIPS[kind](chance, changed, inside, path[-1])
        except (KeyError, IndexError, TypeError):
            continue
        if isinstance(changed.get("metadata"), dict):
            yield Tried(changed, f"{name}: {kind} at {'.'.join(map(str, path))} {said}")


def _drop(_: random.Random, __: Any, inside: Any, key: str | int) -> str:
    del inside[key]
    return ""


def _other_kind(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    inside[key] = copy.deepcopy(chance.choice(ODD_KINDS))
    return repr(inside[key])


def _odd(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    old = inside[key]
    if isinstance(old, list):
        inside[key] = chance.choice([[], old * 2, old * 17, old * 65, old[::-1], old[1:]])
    elif isinstance(old, dict):
        inside[key] = (
            {} if chance.random() < 0.5 else {chance.choice(ODD_TEXTS): chance.choice(list(old.values()) or ["a"])}
        )
    elif key in AMOUNTS or (isinstance(old, int | float) and not isinstance(old, bool)):
        inside[key] = chance.choice(ODD_AMOUNTS)
    else:
        inside[key] = chance.choice((*ODD_TEXTS, *WORDS))
    return repr(inside[key])[:60]


def _word(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    if not isinstance(inside[key], str):
        raise TypeError
    inside[key] = chance.choice(WORDS)
    return str(inside[key])


def _misspelt(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    if not isinstance(key, str) or not isinstance(inside, dict):
        raise TypeError
    other = chance.choice([key.lower() + "s", key[:-1], key.upper(), key + "Name", "x" + key])
    inside[other] = inside.pop(key)
    return other


def _foreign(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    """Put a key that another version, or another place, has."""
    if not isinstance(inside, dict):
        raise TypeError
    new = chance.choice(
        ["cohort", "cohortName", "parent", "parentName", "nominalQuota", "weight", "admissionChecks", "topologyName"]
    )
    inside[new] = chance.choice(["a", 3, copy.deepcopy(inside[key])])
    return new


def _repeated(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    if not isinstance(inside, list):
        raise TypeError
    inside.insert(chance.randrange(len(inside) + 1), copy.deepcopy(inside[int(key)]))
    return ""


def _swapped(chance: random.Random, _: Any, inside: Any, key: str | int) -> str:
    if isinstance(inside[key], list) and len(inside[key]) > 1:
        chance.shuffle(inside[key])
        return ""
    raise TypeError


def _elsewhere(chance: random.Random, whole: Any, inside: Any, key: str | int) -> str:
    """Take a value of another place of the object."""
    path = chance.choice(list(paths(whole["spec"])))
    value = whole["spec"]
    for segment in path:
        value = value[segment]
    inside[key] = copy.deepcopy(value)
    return f"from {'.'.join(map(str, path))}"


SLIPS = {
    "dropped": _drop,
    "another kind": _other_kind,
    "odd": _odd,
    "another odd": _odd,
    "a word": _word,
    "misspelt": _misspelt,
    "foreign key": _foreign,
    "repeated": _repeated,
    "swapped": _swapped,
    "from elsewhere": _elsewhere,
}

"""Changes put into effect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from gpuplan.compare.change import ABSENT, Change, ChangeKind, Item, Plain, Shifted, Step
from gpuplan.compare.form import identities, same
from gpuplan.compare.shape import Shape, shape_of


def apply(old: Mapping[str, Plain], changes: Iterable[Change]) -> dict[str, Plain]:
    """Return the object that `old` becomes by changes that `compare` found on it.

    Raises KeyError, ValueError or TypeError for changes of another object.
    """
    todo = list(changes)
    kind = {"apiVersion": old.get("apiVersion"), "kind": old.get("kind")}
    kind |= {str(change.path[0]): change.new for change in todo if len(change.path) == 1}
    return _map(old, todo, 0, shape_of(old, kind))


def _edited(value: Plain, changes: list[Change], depth: int, shape: Shape) -> Plain:
    if isinstance(value, Mapping):
        return _map(value, changes, depth, shape)
    return _list(_items(value), changes, depth, shape)


def _ends(change: Change, depth: int) -> bool:
    """Tell whether a change is of the value one step down itself."""
    return len(change.path) == depth + 1 and change.kind is not ChangeKind.REORDERED


def _map(value: Mapping[str, Plain], changes: list[Change], depth: int, shape: Shape) -> dict[str, Plain]:
    made = dict(value)
    for key, own in _by_step(changes, depth).items():
        if not isinstance(key, str):
            raise TypeError(f"a map has no {key}")
        if not _ends(own[0], depth):
            made[key] = _edited(value[key], own, depth + 1, shape.field(key))
        elif own[0].new is ABSENT:
            del made[key]
        else:
            made[key] = own[0].new
    return made


def _by_step(changes: Iterable[Change], depth: int) -> dict[Step, list[Change]]:
    found: defaultdict[Step, list[Change]] = defaultdict(list)
    for change in changes:
        if len(change.path) > depth:
            found[change.path[depth]].append(change)
    return found


def _list(value: Sequence[Plain], changes: list[Change], depth: int, shape: Shape) -> list[Plain]:
    order = next((change for change in changes if len(change.path) == depth), None)
    inner = [change for change in changes if change is not order]
    gone = [change for change in inner if _ends(change, depth) and change.new is ABSENT]
    come = [change for change in inner if _ends(change, depth) and change.old is ABSENT]
    kept = [change for change in inner if not _ends(change, depth) or ABSENT not in (change.old, change.new)]
    if order is not None and not inner and not isinstance(_items(order.new)[0], Item):
        return _items(order.new)
    named = [change.path[depth] for change in (*gone, *kept)] + (_items(order.old) if order else [])
    names = _names(value, named, shape)
    made: list[tuple[Step, Plain]] = list(zip(names, value, strict=True))
    for step, own in _by_step(kept, depth).items():
        at = names.index(step.old if isinstance(step, Shifted) else step)
        made[at] = (names[at], own[0].new if _ends(own[0], depth) else _edited(value[at], own, depth + 1, shape.items))
    made = [(name, item) for name, item in made if not any(_is(change, name, item, depth, shape) for change in gone)]
    for change in sorted(come, key=lambda change: change.at or 0):
        made.insert(change.at or 0, (change.path[depth], change.new))
    if order is not None:
        place = {item: at for at, item in enumerate(_items(order.new))}
        made.sort(key=lambda entry: place[entry[0]])
    return [item for _, item in made]


def _items(value: Plain) -> list[Plain]:
    """Return the items of a list; anything else is not what `compare` saw."""
    if isinstance(value, list | tuple):
        return list(value)
    raise TypeError(f"not a list: {value!r}")


def _names(value: Sequence[Plain], named: Sequence[Plain], shape: Shape) -> list[Step]:
    """Return the step to each item: by its keys where changes name items so, otherwise its place."""
    wanted = {name for name in named if isinstance(name, Item)}
    for way in shape.keys if wanted else ():
        found = identities(value, way, shape)
        if found is not None and wanted <= set(found):
            return list(found)
    return list(range(len(value)))


def _is(change: Change, name: Step, item: Plain, depth: int, shape: Shape) -> bool:
    """Tell whether a change takes this item away: by its step, or, in a list without keys and order, by what it is."""
    if change.path[depth] == name:
        return True
    return isinstance(name, int) and isinstance(change.path[depth], Item) and same(item, change.old, shape.items)

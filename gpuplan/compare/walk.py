"""What differs between two objects, as the API server and the programs that read them would see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeGuard

from gpuplan.compare.align import aligned
from gpuplan.compare.change import ABSENT, Change, ChangeKind, Item, Plain, Shifted, Step
from gpuplan.compare.documents import documents
from gpuplan.compare.form import form, identities, label, order_matters, same
from gpuplan.compare.shape import UNKNOWN, Order, Shape, shape_of

Path: TypeAlias = tuple[Step, ...]
List: TypeAlias = Sequence[Plain]


def compare(old: Mapping[str, Plain], new: Mapping[str, Plain]) -> tuple[Change, ...]:
    """Return what differs between two objects, in the order of their keys; nothing where they mean the same.

    Equal are: quantities of one amount, null and absent, a default and its absence, lists in another order where that has
    no meaning. Swapping the sides gives each change mirrored.
    """
    return tuple(_maps((), old, new, shape_of(old, new)))


def _values(path: Path, old: Plain, new: Plain, shape: Shape) -> Iterator[Change]:
    """Yield what differs between two values."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _maps(path, old, new, shape)
    elif _is_list(old) and _is_list(new):
        yield from _lists(path, old, new, shape)
    elif not same(old, new, shape):
        yield _change(path, old, new, shape)


def _is_list(value: Plain) -> TypeGuard[List]:
    return isinstance(value, list | tuple)


def _change(path: Path, old: Plain, new: Plain, shape: Shape, at: int | None = None) -> Change:
    kind = ChangeKind.ADDED if old is ABSENT else ChangeKind.REMOVED if new is ABSENT else ChangeKind.CHANGED
    default = ABSENT if kind is ChangeKind.CHANGED else shape.default
    change = Change(path=path, kind=kind, old=old, new=new, at=at, default=default)
    both = documents(old, new) if shape.holds_document and kind is ChangeKind.CHANGED else None
    if both is None:
        return change
    within = tuple(_values((), *both, UNKNOWN))
    return replace(change, within=within, only_form=not within)


def _maps(path: Path, old: Mapping[str, Plain], new: Mapping[str, Plain], shape: Shape) -> Iterator[Change]:
    for key in sorted(old.keys() | new.keys()):
        left, right = (ABSENT if value is None else value for value in (old.get(key), new.get(key)))
        if left is not ABSENT or right is not ABSENT:
            yield from _values((*path, key), left, right, shape.field(key))


def _lists(path: Path, old: List, new: List, shape: Shape) -> Iterator[Change]:
    for way in shape.keys:
        left, right = identities(old, way, shape), identities(new, way, shape)
        if left is not None and right is not None:
            yield from _keyed(path, dict(zip(left, old, strict=True)), dict(zip(right, new, strict=True)), shape)
            return
    if shape.order is Order.FREE:
        yield from _sets(path, old, new, shape)
    else:
        yield from _sequences(path, old, new, shape)


def _keyed(path: Path, old: Mapping[Item, Plain], new: Mapping[Item, Plain], shape: Shape) -> Iterator[Change]:
    """Yield what differs between lists whose items are known by their keys."""
    places = {item: place for side in (old, new) for place, item in enumerate(side)}
    for item in sorted(places, key=lambda item: [(key, str(value)) for key, value in item.keys]):
        here, there = old.get(item, ABSENT), new.get(item, ABSENT)
        if here is ABSENT or there is ABSENT:
            yield _change((*path, item), here, there, UNKNOWN, places[item])
        else:
            yield from _values((*path, item), here, there, shape.items)
    moved = [item for item in old if item in new] != [item for item in new if item in old]
    if moved and (order_matters(list(old.values()), shape) or order_matters(list(new.values()), shape)):
        yield Change(path=path, kind=ChangeKind.REORDERED, old=tuple(old), new=tuple(new))


def _sets(path: Path, old: List, new: List, shape: Shape) -> Iterator[Change]:
    """Yield the items that only one side has, where neither order nor number has a meaning."""
    left, right = ({form(value, shape.items): place for place, value in enumerate(side)} for side in (old, new))
    gone = [(old[place], False, place) for one, place in left.items() if one not in right]
    come = [(new[place], True, place) for one, place in right.items() if one not in left]
    if len(gone) == len(come) == 1 and len(left) == len(old) and len(right) == len(new):
        # All others are there on both sides: this one was changed.
        yield from _values((*path, _place(gone[0][2], come[0][2])), gone[0][0], come[0][0], shape.items)
        return
    for value, is_new, place in sorted(gone + come, key=lambda entry: (str(_item(entry[0])), label(entry[0]))):
        before, after = (ABSENT, value) if is_new else (value, ABSENT)
        yield _change((*path, _item(value)), before, after, UNKNOWN, place)


def _item(value: Plain) -> Item:
    """Return by what to call an item that has no keys: its plain values, or all of it."""
    if isinstance(value, str) or type(value) is int:
        return Item((("", value),))
    if isinstance(value, Mapping):
        words = tuple((key, part) for key, part in sorted(value.items()) if isinstance(part, str) or type(part) is int)
        if words:
            return Item(words)
    return Item((("", label(value)),))


def _sequences(path: Path, old: List, new: List, shape: Shape) -> Iterator[Change]:
    """Yield what differs between lists whose items are known by their places."""
    left, right = ([form(value, shape.items) for value in side] for side in (old, new))
    if left != right and len(left) == len(right) and Counter(left) == Counter(right):
        yield Change(path=path, kind=ChangeKind.REORDERED, old=old, new=new)
        return
    for here, there in aligned(left, right, lambda one, other: label(old[one]) < label(new[other])):
        if here is None and there is not None:
            yield _change((*path, there), ABSENT, new[there], UNKNOWN, there)
        elif there is None and here is not None:
            yield _change((*path, here), old[here], ABSENT, UNKNOWN, here)
        elif here is not None and there is not None and left[here] != right[there]:
            yield from _values((*path, _place(here, there)), old[here], new[there], shape.items)


def _place(old: int, new: int) -> Step:
    return old if old == new else Shifted(old, new)

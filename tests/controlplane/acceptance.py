"""Does the server take what we wrote, and keep it as we wrote it?

"Zero difference" means: every field that we wrote reads back equal, and the server added nothing but what
`conventions.SERVER_ADDITIONS` lists. A default that we left to the server is a difference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any

from gpuplan.conventions import SERVER_ADDITIONS, ServerAddition, ServerValue
from tests.controlplane.client import ApiError, Client, Object, UnknownKindError, identity

Path = tuple[str | int, ...]
WRITERS = 4
ABSENT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """An object that the server, or a webhook behind it, refused."""

    obj: Object
    status: int
    """The HTTP status; 0 when the server serves no such kind."""
    reason: str
    message: str

    def __str__(self) -> str:
        return f"{identity(self.obj)}: {self.status} {self.reason}: {self.message}"


def allows(addition: ServerAddition, written: Object, path: Path, value: object) -> bool:
    """Tell whether the server may have added this value here."""
    if path != addition.path or addition.kind not in {"*", written["kind"]}:
        return False
    if addition.value is ServerValue.OWN_NAME:
        return bool(value == written["metadata"]["name"])
    return addition.value is ServerValue.ANY or value == addition.value


def apply_manifests(client: Client, objects: Iterable[Object], *, dry_run: bool = False) -> list[Rejection]:
    """Apply the objects by server-side apply, namespaces first, and return the refusals.

    On a dry run the namespaces are created nevertheless: without them every object inside would be refused.
    """
    everything = list(objects)
    namespaces = [obj for obj in everything if obj["kind"] == "Namespace"]
    others = [obj for obj in everything if obj["kind"] != "Namespace"]
    with ThreadPoolExecutor(WRITERS) as writers:
        refused = [rejection(client, obj, dry_run=False) for obj in namespaces]
        refused += writers.map(lambda obj: rejection(client, obj, dry_run=dry_run), others)
    return [one for one in refused if one]


def rejection(client: Client, obj: Object, *, dry_run: bool = False, text: str = "") -> Rejection | None:
    """Apply one object, in the words of `text` if given; None when the server takes it."""
    try:
        client.apply(obj, dry_run=dry_run, text=text)
    except ApiError as error:
        return Rejection(obj=obj, status=error.status, reason=error.reason, message=error.message)
    except UnknownKindError as error:
        return Rejection(obj=obj, status=0, reason="UnknownKind", message=str(error))
    return None


def stored_differences(
    client: Client, objects: Iterable[Object], allowed: Sequence[ServerAddition] = SERVER_ADDITIONS
) -> list[str]:
    """Read every object back, a kind at a time, and return `identity: path: difference` for each difference."""
    everything = list(objects)
    kinds = sorted({(obj["apiVersion"], obj["kind"]) for obj in everything})
    with ThreadPoolExecutor(WRITERS) as readers:
        lists = readers.map(lambda kind: client.list(*kind), kinds)
        stored = {identity(found): found for found in chain.from_iterable(lists)}
    differences = []
    for written in everything:
        found = stored.get(identity(written))
        lines = ["not on the server"] if found is None else difference(written, found, allowed)
        differences += [f"{identity(written)}: {line}" for line in lines]
    return differences


def difference(written: Object, stored: Object, allowed: Sequence[ServerAddition] = SERVER_ADDITIONS) -> list[str]:
    """Return each place where the stored object is not what was written, as `path: written != stored`."""

    def may_add(path: Path, value: object) -> bool:
        return any(allows(addition, written, path, value) for addition in allowed)

    return [
        f"{_spell(path)}: {_show(ours)} != {_show(theirs)}"
        for path, ours, theirs in _differences(written, stored, (), may_add)
    ]


def _differences(
    written: Any, stored: Any, path: Path, may_add: Callable[[Path, object], bool]
) -> Iterator[tuple[Path, object, object]]:
    """Yield (path, written, stored) of each leaf that differs; `ABSENT` stands for a side that lacks it."""
    if written is ABSENT and may_add(path, stored):
        return
    if isinstance(stored, Mapping) and (isinstance(written, Mapping) or (written is ABSENT and stored)):
        own: Mapping[str, object] = written if isinstance(written, Mapping) else {}
        for key in [*own, *(key for key in stored if key not in own)]:
            yield from _differences(own.get(key, ABSENT), stored.get(key, ABSENT), (*path, key), may_add)
    elif _is_list(written) and _is_list(stored):
        for index in range(max(len(written), len(stored))):
            ours, theirs = (side[index] if index < len(side) else ABSENT for side in (written, stored))
            yield from _differences(ours, theirs, (*path, index), may_add)
    elif written != stored or isinstance(written, bool) != isinstance(stored, bool):
        yield path, written, stored


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _spell(path: Path) -> str:
    """Spell a path as people do: `spec.ports[0].name`, and `["a.b/c"]` for a key that is no plain word."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'["{part}"]'
    return text.removeprefix(".")


def _show(value: object) -> str:
    return "absent" if value is ABSENT else json.dumps(value, ensure_ascii=False, default=str)

"""Keys that their reader does not know: what somebody wrote beside the reader's key list.

A finding needs more than a key that is not in the list: the file must be of the format, and the version that runs must lack
the key. What is empty under an unknown key changes nothing, whoever drops it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from gpuplan.catalog.keys import ITEM, Key, KeyList
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.suggest import nearest
from gpuplan.versions import Version
from gpuplan.words import in_a_row

MANY_HOMES = 3
"""A key that stands in more mappings than this says nothing about where it was meant to stand."""
COMMON = frozenset(
    {
        "affinity",
        "annotations",
        "args",
        "config",
        "create",
        "data",
        "default",
        "enable",
        "enabled",
        "env",
        "image",
        "labels",
    }
    | {"name", "nodeSelector", "repository", "tolerations", "version"}
)
"""Keys that mean another thing in each mapping; only at the top of a list do they have one place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """A key that its reader does not know."""

    view: View
    name: str
    path: str
    """The mapping that it stands in, as the list names it; empty at the top."""
    siblings: tuple[str, ...]
    other: Key | None
    """The key as other versions know it."""

    @property
    def where(self) -> str:
        """The key with its path."""
        return f"{self.path}.{self.name}" if self.path else self.name


def strays(view: View, keys: KeyList, version: Version | None) -> Iterator[Stray]:
    """Yield the keys that a version does not know; without one, the newest that was read."""
    yield from _strays(view, keys, version or keys.newest, keys.root, "")


def _strays(view: View, keys: KeyList, version: Version, key: Key, path: str) -> Iterator[Stray]:
    if ITEM in key.children:
        for one in view.items():
            yield from _strays(one, keys, version, key.children[ITEM], path + ITEM)
    elif key.children:
        siblings = tuple(key.children)
        for name, inner in view.entries():
            child = key.child(name)
            if child is None or keys.missing(child, version):
                yield Stray(view=inner, name=name, path=path, siblings=siblings, other=child)
            else:
                yield from _strays(inner, keys, version, child, f"{path}.{name}" if path else name)


def is_empty(view: View) -> bool:
    """Tell whether nothing is said: null, an empty text, list or mapping."""
    return view.value is None or view.value in ("", [], {}, ())


def version_of(inventory: Inventory, keys: KeyList) -> Version | None:
    """Return the version of a list's reader that somebody assumes."""
    return inventory.assumed.versions.get(keys.component)


def is_newer(version: Version | None, keys: KeyList) -> bool:
    """Tell whether a version is newer than any whose keys somebody read."""
    return version is not None and version.minor > keys.newest.minor


def finding(
    doc: RuleDoc, stray: Stray, keys: KeyList, version: Version | None, *, effect: str = "", fix: str = ""
) -> Diagnostic:
    """Return the finding of one key: what follows, where it belongs or what was probably meant, and how sure that is."""
    return doc.found(
        f"{_reader(keys, version)} `{stray.where}`",
        at=stray.view.key_span,
        detail=" ".join(word for word in (_by_version(stray), doc.why, effect) if word),
        fix=fix or nearest_key(stray, keys) or "Remove it, or write what the reader knows.",
        severity=_severity(stray, keys, version),
    )


def nearest_key(stray: Stray, keys: KeyList) -> str:
    """Return where a key belongs, or the nearest key beside it; nothing where neither is clear."""
    same = next((name for name in stray.siblings if name.casefold() == stray.name.casefold()), None)
    homes = [home for home in keys.homes(stray.name) if home != stray.path and not (home and stray.name in COMMON)]
    homes = [] if stray.other else homes
    if same is None and 0 < len(homes) <= MANY_HOMES:
        return f"`{stray.name}` belongs {_home(homes, stray)}."
    near = same if same != stray.name else None
    near = near or nearest(stray.name, [name for name in stray.siblings if name.isidentifier() or "-" in name])
    return f"Did you mean `{near}`?" if near and not stray.other else ""


def _home(homes: list[str], stray: Stray) -> str:
    nearby = max(_shared(home, stray.path) for home in homes)
    homes = [home for home in homes if _shared(home, stray.path) == nearby]
    if "" in homes:
        return "at the top"
    root = stray.view.item.root
    written = [home for home in homes if root.walk(*home.replace(ITEM, "").split(".")).exists]
    return f"under {in_a_row([f'`{home.removesuffix(ITEM)}`' for home in (written or homes)], 'or')}"


def _shared(home: str, path: str) -> int:
    """Return how many keys two paths begin with in common."""
    pairs = zip(home.split("."), path.split("."), strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1] != "", pairs)))


def _by_version(stray: Stray) -> str:
    if stray.other is None:
        return ""
    if stray.other.since is not None:
        return f"{stray.other.since} is the first release known to have the key."
    return f"{stray.other.until} still has the key."


def _reader(keys: KeyList, version: Version | None) -> str:
    reader = f"{READERS[keys.component]} {version or keys.newest}"
    if keys.name.endswith("-values"):
        return f"The chart of {reader.replace('The ', 'the ')} does not read"
    return f"{reader} does not know"


READERS = {
    "dcgmExporter": "dcgm-exporter",
    "devicePlugin": "The device plugin",
    "gpuOperator": "The GPU Operator",
    "kueue": "Kueue",
    "migManager": "mig-parted",
    "nfd": "Node Feature Discovery",
}
"""How messages call the components."""


def _severity(stray: Stray, keys: KeyList, version: Version | None) -> Severity | None:
    if version is None and stray.other is not None:
        return Severity.INFO  # it depends on the version, of which nobody said anything
    return Severity.WARNING if is_newer(version, keys) else None

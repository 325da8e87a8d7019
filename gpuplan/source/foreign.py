"""YAML and JSON that are not ours: read as `sigs.k8s.io/yaml` reads them, which is what kubectl and Helm do.

Merge keys merge and `yes` is true. What that reader refuses is a finding, and so is a key that stands twice: most readers
keep the last one in silence, and which one was meant nobody knows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final

from yaml.events import MappingStartEvent
from yaml.reader import ReaderError

from gpuplan.diagnostics import Diagnostic, Diagnostics, Related, ordered
from gpuplan.source import findings
from gpuplan.source.aliases import ALIAS_STYLE
from gpuplan.source.compose import Composer, OpenCollection, OpenMapping, OpenSequence, short, shown_tag
from gpuplan.source.document import Entry, Mapping, Node, Scalar, Sequence
from gpuplan.source.syntax import forbidden_characters
from gpuplan.source.yaml11 import MAY_BE_NO_STRING, key_name, resolve_plain, resolve_tagged
from gpuplan.source.yamltext import collector_paused, compose

MAX_DEPTH: Final = 200
"""Collections inside each other. Schemas of custom resources have some sixty; libyaml itself ends at a thousand."""
_SURROGATES: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """What one text gave: the top nodes of its documents, whatever they are, and what was wrong."""

    roots: tuple[Node, ...]
    findings: Diagnostics
    broken: bool
    """Whether a document could not be read at all."""


def parse_foreign(file: str, text: str) -> Foreign:
    r"""Parse a text as Kubernetes' tools do; `file` is its name in every span.

    A document with a syntax error is left out and reading goes on at the next `---`. Empty documents are passed over.

    >>> read = parse_foreign("a.yaml", "base: &b {on: 0777}\nmore: {<<: *b, x: yes}\n")
    >>> read.roots[0].plain()
    {'base': {'true': 511}, 'more': {'true': 511, 'x': True}}
    """
    composer = ForeignComposer(file)
    text = _paired(text.removeprefix("\ufeff"))
    try:
        with collector_paused():
            roots, broken = compose(composer, text)
    except (ReaderError, UnicodeEncodeError):
        unseen = forbidden_characters(file, text, parser_complains=True)
        return Foreign(roots=(), findings=unseen, broken=True)
    whole = tuple(root for root in roots if not _is_empty(root))
    return Foreign(roots=whole, findings=ordered([*composer.found, *broken]), broken=bool(broken))


def _paired(text: str) -> str:
    r"""Write the two escapes that JSON has for one character past U+FFFF (`\ud83d\ude00`) as YAML's one."""
    return _SURROGATES.sub(_one_escape, text) if "\\ud" in text or "\\uD" in text else text


def _one_escape(match: re.Match[str]) -> str:
    before, high, low = match.groups()
    return f"{before}\\U{0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF):08X}"


def _is_empty(root: Node) -> bool:
    return isinstance(root, Scalar) and not root.text and not root.style


class ForeignComposer(Composer):
    """Builds documents by the rules of go-yaml 2."""

    may_be_no_string = MAY_BE_NO_STRING
    versions = ((1, 1), (1, 2))
    max_depth = MAX_DEPTH

    def _scalar(self, event: Any) -> Scalar:
        text: str = event.value
        value: Any = text
        if event.tag is not None:
            value, fits = resolve_tagged(event.tag, text)
            if not fits:
                self._note(findings.TAG_MISMATCH, f"{short(text)} does not fit its tag {shown_tag(event.tag)}", event)
        elif not event.style:
            value = resolve_plain(text)
        node = Scalar(self.file, event.start_mark, event.end_mark, value, text, event.style)
        if value.__class__ is float and not math.isfinite(value):
            self._note(
                findings.NUMBER_RANGE, f"{short(text)} is not a number that JSON, and so a cluster, holds", event
            )
            node.value = text
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _open(self, event: Any) -> OpenCollection:
        is_mapping = event.__class__ is MappingStartEvent
        collection = (_OpenMerging if is_mapping else OpenSequence)(event, self.file, self.found)
        if event.anchor is not None:
            self._anchors[event.anchor] = collection
        return collection


class _OpenMerging(OpenMapping):
    """A mapping in which `<<` takes the entries of others over, and any scalar but null may be a key."""

    __slots__ = ("own",)

    def __init__(self, event: Any, file: str, found: list[Diagnostic]) -> None:
        super().__init__(event, file, found)
        self.own: set[str] | None = None
        """The keys that stand in the mapping itself, once it has merged others."""

    def _add_with_care(self, key: Node, node: Node) -> None:
        if not isinstance(key, Scalar):
            self._note(findings.COMPLEX_KEY, "a key must be a string, and this one is a collection", key)
        elif key.text == "<<" and not key.style:
            self._merge(key, node)
        elif (name := key_name(key.value)) is None:
            if key.style != ALIAS_STYLE:
                self._note(findings.NON_STRING_KEY, "a key is null, which no reader of Kubernetes takes", key)
        else:
            self._add_own(name, Scalar(key.file, key.start, key.end, name, name, key.style), node)

    def _add_own(self, name: str, key: Scalar, node: Node) -> None:
        first = self.entries.get(name)
        if first is None or (self.own is not None and name not in self.own):
            self.entries[name] = Entry(key, node)
        else:
            also = (Related("first defined here", first.key_span),)
            self.found.append(findings.DUPLICATE_KEY.found(f"key {short(name)} stands twice", at=key.span, also=also))
        if self.own is not None:
            self.own.add(name)

    def _merge(self, key: Scalar, node: Node) -> None:
        """Take over the entries of a mapping, or of the mappings of a list, of which the first has the last word.

        Keys that stand before the `<<` are overwritten, those after it overwrite: that is what go-yaml 2 does.
        """
        sources = node.items if isinstance(node, Sequence) else (node,)
        if not all(isinstance(source, Mapping) for source in sources):
            self._note(findings.MERGE_KEY, "a merge key `<<` needs a mapping or a list of mappings", key, _MERGE_FIX)
            return
        if self.own is None:
            self.own = set(self.entries)
        for source in reversed(sources):
            if isinstance(source, Mapping):
                self.entries.update(source.entries)


_MERGE_FIX: Final = "Give it the alias of a mapping, `<<: *base`, or put the key in quotes if it is a name."

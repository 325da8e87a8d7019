"""A name, label or annotation that the API server refuses.

Names of most kinds are parts of host names: lower-case letters, digits, `-` and `.`. Labels and annotations have keys such as
`team` or `acme.io/team`; a label's value has at most 63 characters and no spaces.

Source: Kubernetes, validation of object metadata.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity, Span
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.reading.templates import is_placeholder
from gpuplan.inventory.view import View
from gpuplan.rulebook import RuleDoc
from gpuplan.rules import written
from gpuplan.validate.formats import dns_label, dns_subdomain, label_key, label_value
from gpuplan.validate.lenient import checker

DOC = RuleDoc(
    id="manifest/metadata",
    severity=Severity.ERROR,
    summary="A name, label or annotation that the server refuses",
    why="The API server refuses the object.",
    fix="Write it as the message says.",
    bad="metadata: {name: Vision_Queue}\n",
    good="metadata: {name: vision-queue}\n",
)

FREE_NAMES = frozenset({"ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"})
"""Kinds whose names may be nearly anything: `system:node`."""
LABEL_NAMES = frozenset({"Namespace", "Service"})
MOST_ANNOTATION_BYTES = 256 * 1024


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each fault in the metadata of a kind that we know, and of its pod template."""
    for one in written.whole(inventory):
        if checker(one.api_version, one.kind) is None:
            continue
        metadata = one.root["metadata"]
        for at, wrong in (*_names(one, metadata), *_labels(metadata), *_labels(one.spec["template"]["metadata"])):
            yield DOC.found(f"{one.kind}{f' `{one.name}`' if one.name else ''}: {wrong}", at=at)


def _names(one: Object, metadata: View) -> Iterator[tuple[Span, str]]:
    name, namespace = metadata["name"], metadata["namespace"]
    if not name.exists or name.value == "":
        if not metadata["generateName"].text():
            yield metadata.key_span, "it has no `metadata.name`"
    elif wrong := _name_fault(one.kind, name.text()):
        yield from _said(name.text(), name, f"the name {wrong}")
    if namespace.text() and (wrong := dns_label(namespace.text())):
        yield from _said(namespace.text(), namespace, f"the namespace `{namespace.text()}` {wrong}")


def _name_fault(kind: str, name: str) -> str:
    if not name:  # no text: the schema says so
        return ""
    if kind in FREE_NAMES:
        return "must not have `/` or `%`" if set("/%") & set(name) or name in (".", "..") else ""
    return dns_label(name) if kind in LABEL_NAMES else dns_subdomain(name)


def _labels(metadata: View) -> Iterator[tuple[Span, str]]:
    for key, value in metadata["labels"].entries():
        if wrong := label_key(key):
            yield from _said(key, value, f"the label key `{key}` {wrong}")
        if wrong := label_value(value.text()):
            yield from _said(value.text(), value, f"the value `{value.text()}` of label `{key}` {wrong}")
    size = 0
    for key, value in metadata["annotations"].entries():
        size += len(key.encode()) + len(value.text().encode())
        if wrong := label_key(key.lower()):
            yield from _said(key, value, f"the annotation key `{key}` {wrong}")
    if size > MOST_ANNOTATION_BYTES:
        yield (
            metadata["annotations"].key_span,
            f"its annotations have {size} bytes; {MOST_ANNOTATION_BYTES} are allowed",
        )


def _said(text: str, at: View, words: str) -> Iterator[tuple[Span, str]]:
    """Yield the words unless something is to be put into the text before a server sees it."""
    if not is_placeholder(text):
        yield at.key_span, words

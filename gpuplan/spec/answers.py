"""The answers file of `gpuplan advise`: text -> `Answers`, every mistake at its place and in the words of the spec.

Its keys are data (`catalog/advice`), so that a question is asked, checked, explained and reported from one row.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Final

from gpuplan.catalog import advice
from gpuplan.catalog.advice import Question
from gpuplan.diagnostics import Diagnostic, Diagnostics, KeyPath, Severity, Span, ordered
from gpuplan.model.answers import NO_ANSWERS, Answer, Answers, Rate
from gpuplan.rulebook import RuleDoc
from gpuplan.source import findings as source_findings
from gpuplan.source.document import Document, Node, Scalar, Sequence
from gpuplan.source.document import Mapping as MappingNode
from gpuplan.source.folder import read_file
from gpuplan.source.yamltext import Parsed, parse_text
from gpuplan.spec import findings
from gpuplan.spec.words import listed, place, said
from gpuplan.suggest import nearest

_RATE: Final = re.compile(r"(\d+(?:\.\d+)?) ([A-Z]{3})")
_WHY: Final = "A key that nobody reads would be an answer that counts for nothing."
_ORDER: Final = ("fewNodes", "manyNodes", "veryManyNodes")
"""Thresholds that may only grow."""


def read_answers(path: Path) -> tuple[Answers | None, Diagnostics]:
    """Read the answers in a file; None where there is a mistake. A file that says nothing gives no answers."""
    return _read(read_file(path))


def parse_answers(file: str, text: str) -> tuple[Answers | None, Diagnostics]:
    """Read the answers in a text; `file` is its name in findings."""
    return _read(parse_text(file, text))


def _read(parsed: Parsed) -> tuple[Answers | None, Diagnostics]:
    unread = tuple(one for one in parsed.findings if one.rule != source_findings.EMPTY_FILE.id)
    if any(one.severity is Severity.ERROR for one in unread):
        return None, ordered(unread)
    if len(parsed.documents) > 1:
        second = parsed.documents[1].root.span
        return None, (
            findings.DUPLICATE_NAME.found("answers are one document, and this is a second", at=second, fix=""),
        )
    if not parsed.documents:
        return NO_ANSWERS, unread
    reading = _Reading(keys=advice.read().keys)
    reading.section(parsed.documents[0].root, ())
    found = [*unread, *reading.found]
    if not reading.found:
        found += _contradictions(reading, parsed.documents[0])
    if any(one.severity is Severity.ERROR for one in found):
        return None, ordered(found)
    made = Answers(given=MappingProxyType(reading.given), places=MappingProxyType(reading.places))
    return made, ordered(found)


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What has been read so far."""

    keys: Mapping[str, Question]
    given: dict[str, Answer] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)

    def section(self, node: MappingNode, path: KeyPath) -> None:
        """Read a mapping of the file."""
        known = self._below(path)
        for name, entry in node.entries.items():
            here = (*path, name)
            key = ".".join(map(str, here))
            if name not in known:
                self.found.append(_unknown(name, path, known, entry.key_span))
            elif key in self.keys:
                self._leaf(self.keys[key], entry.value, here, entry.key_span)
            elif isinstance(entry.value, MappingNode):
                self.section(entry.value, here)
            else:
                takes = f"{place(here)} takes a mapping, not {said(entry.value.plain())}"
                fix = f"Write a mapping with {listed(self._below(here))}."
                self.found.append(_wrong(findings.WRONG_TYPE, takes, entry.value.span, fix))

    def _below(self, path: KeyPath) -> tuple[str, ...]:
        depth = len(path)
        split = (key.split(".") for key in self.keys)
        return tuple(dict.fromkeys(parts[depth] for parts in split if tuple(parts[:depth]) == path))

    def _leaf(self, question: Question, node: Node, path: KeyPath, at: Span) -> None:
        value = _value(question, node, path)
        if isinstance(value, Diagnostic):
            self.found.append(value)
        else:
            self.given[question.key] = value
            self.places[question.key] = at


def _unknown(name: str, path: KeyPath, known: tuple[str, ...], at: Span) -> Diagnostic:
    guess = nearest(name, known)
    where = place(path) if path else "the answers file"
    fix = f"Write `{guess}`." if guess else f"It takes {listed(known)}."
    return findings.UNKNOWN_KEY.found(f"{where} has no key `{name}`", at=at, detail=_WHY, fix=fix)


def _wrong(rule: RuleDoc, summary: str, at: Span, fix: str) -> Diagnostic:
    return rule.found(summary, at=at, detail="", fix=fix)


def _value(question: Question, node: Node, path: KeyPath) -> Answer | Diagnostic:
    """Return the answer in a node, or what is wrong with it."""
    value = node.plain()
    text = node.text if isinstance(node, Scalar) else ""
    takes = f"{place(path)} takes {_takes(question)}, not {said(value, text)}"
    match question.kind:
        case "number":
            return _number(question, node, takes)
        case "flag":
            if isinstance(value, bool):
                return value
            return _wrong(findings.WRONG_TYPE, takes, node.span, "Write `true` or `false`.")
        case "word":
            return _word(question, value, takes, node.span)
        case "words":
            return _words(question, node, path, takes)
        case "rate":
            found = _RATE.fullmatch(value) if isinstance(value, str) else None
            if found:
                return Rate(amount=Decimal(found[1]), currency=found[2])
            return _wrong(findings.INVALID_VALUE, takes, node.span, 'Write `"95 EUR"`.')


def _takes(question: Question) -> str:
    match question.kind:
        case "number":
            kind = "a whole number" if question.whole else "a number"
            return f"{kind} from {question.least} to {question.most}"
        case "flag":
            return "true or false"
        case "word":
            return listed(question.words)
        case "words":
            return f"a list of {listed(question.words, 'and')}"
        case "rate":
            return 'a price for an hour, such as "95 EUR"'


def _number(question: Question, node: Node, takes: str) -> Decimal | Diagnostic:
    value = node.plain()
    if isinstance(value, bool) or not isinstance(value, int | float):
        bare = isinstance(value, str) and re.fullmatch(r"\d+(\.\d+)?", value)
        fix = f"Write `{value}`, without quotes." if bare else f"Write {_takes(question)}."
        return _wrong(findings.WRONG_TYPE, takes, node.span, fix)
    number = Decimal(str(value))
    if not question.least <= number <= question.most or (question.whole and number != number.to_integral_value()):
        return _wrong(findings.INVALID_VALUE, takes, node.span, f"Write {_takes(question)}.")
    return number


def _word(question: Question, value: object, takes: str, at: Span) -> str | Diagnostic:
    if isinstance(value, str) and value in question.words:
        return value
    guess = nearest(value, question.words) if isinstance(value, str) else None
    fix = f"Write `{guess}`." if guess else f"It takes {listed(question.words)}."
    return _wrong(findings.INVALID_VALUE, takes, at, fix)


def _words(question: Question, node: Node, path: KeyPath, takes: str) -> tuple[str, ...] | Diagnostic:
    if not isinstance(node, Sequence):
        text = f"`[{node.text}]`" if isinstance(node, Scalar) and node.text in question.words else "a list"
        return _wrong(findings.WRONG_TYPE, takes, node.span, f"Write {text}.")
    made: dict[str, None] = {}
    for index, item in enumerate(node.items):
        value = item.plain()
        word = _word(
            question, value, f"{place((*path, index))} takes {listed(question.words)}, not {said(value)}", item.span
        )
        if isinstance(word, Diagnostic):
            return word
        made[word] = None
    return tuple(made)


def _contradictions(reading: _Reading, document: Document) -> Iterator[Diagnostic]:
    """Yield what cannot all be true, each number that is not given standing at ours."""

    def figure(section: str, name: str) -> Decimal:
        value = reading.given.get(f"{section}.{name}")
        return value if isinstance(value, Decimal) else advice.read().figures[section][name].value

    def at(*path: str) -> Span:
        return document.span_at(path)

    people, able = (reading.given.get(f"people.{name}") for name in ("platform", "controllers"))
    if isinstance(people, Decimal) and isinstance(able, Decimal) and able > people.to_integral_value("ROUND_CEILING"):
        summary = f"`people.controllers` is {able}, more than the {people} of `people.platform`"
        yield _wrong(findings.CONFLICTING_KEYS, summary, at("people", "controllers"), "Count them among `platform`.")
    by_hand, watched = figure("hours", "upgradeManual"), figure("hours", "upgradeOperator")
    if watched > by_hand:
        yield findings.CONFLICTING_KEYS.found(
            f"a driver upgrade takes {watched} hours a node with the operator, and {by_hand} by hand",
            at=at("hours"),
            detail="The advice rests on this: a controller takes no more hours a node than people do, so that more nodes never "
            "speak for scripts. Where it does, something is wrong with that operator that no stack answers.",
            fix="Put what the operator costs whatever the number of nodes into `hours.baseOperator`.",
        )
    for less, more in itertools.pairwise(_ORDER):
        if figure("thresholds", less) > figure("thresholds", more):
            summary = f"`thresholds.{less}` is above `thresholds.{more}`"
            yield _wrong(findings.CONFLICTING_KEYS, summary, at("thresholds"), f"Let `{less}` be at most `{more}`.")

"""No text makes `gpuplan check` fail, and whatever it says, it says at a place that exists.

Texts are damaged fleets, small, generated and the example, with words exchanged so that most of them get past the reader;
and texts that are no fleets at all. What is accepted all the same has to compile into objects that a cluster would take.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from gpuplan import pipeline
from gpuplan.diagnostics import Diagnostic, Span
from gpuplan.report.findings import findings_text
from gpuplan.report.human import Page
from gpuplan.source.document import split_lines
from gpuplan.source.folder import FileLines
from tests.build import TODAY
from tests.generated import fleets

INPUTS = 5_000 if os.environ.get("CI") else 300
"""Texts to try; CI tries all 5,000."""
GENERATED = 20
"""Generated fleets that are damaged again and again: making one takes longer than checking it."""

EXAMPLE = {path.name: path.read_text(encoding="utf-8") for path in Path("fleet").glob("*.yaml")}
SMALL = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {eu: {kubernetes: "1.36"}, us: {kubernetes: "1.35", stack: external}}
cardTiers: {serve: {cards: [l40s]}, lab: {cards: [a100-sxm-40gb, h100-sxm-80gb], revision: 2}}
defaults: {nodePool: {cluster: eu, nodes: 2}}
nodePools:
  a: {tier: serve, cardsPerNode: 4, selectedBy: {labels: {pool: a}}, sharing: {timeSlicing: {replicas: 4}}}
  b: {tier: lab, card: a100-sxm-40gb, cardsPerNode: 8, selectedBy: {nfd: {}}, sharing: {mig: {profiles: {1g.5gb: 7}}}}
  c: {cluster: us, tier: lab, card: h100-sxm-80gb, cardsPerNode: 8, selectedBy: {labels: {pool: c}}}
taskPools:
  chat: {kind: onlineInference, service: guaranteed, tiers: [serve], stateful: {drainSeconds: 60}}
  train: {kind: training, service: queued, tiers: [lab], largestJob: {pods: 2, cardsPerPod: 8}, queueing: strict}
  notebooks: {kind: experiment, service: shared, tiers: [lab], pool: {clusters: {eu: {lab: 14}}}}
  scratch: {kind: experiment, service: reclaimable, tiers: [serve, lab]}
teams:
  vision: {namespaces: [vision], quotas: {chat: {serve: {guaranteed: 8}}, notebooks: {weight: 2, clusters: {eu: {lab: {cap: 7}}}}, scratch: {}}}
  nlp: {namespaces: [nlp], quotas: {train: {clusters: {us: {lab: {guaranteed: 8, borrow: 8, lend: 0}}}}}}
suppress: [{rule: quota/unallocated, reason: a fleet for tests, until: 2027-01-01}]
"""

NUMBER = re.compile(r"\b\d+\b")
NAME = re.compile(r"\b[A-Za-z][\w.-]*(?=[,\]}\n])")
"""Words that are values."""
ANY = re.compile(r"[\w./-]+|\S")
STRANGE = (
    *("", "0", "-1", "1", "7", "1000000", "9999999999999999999", "1.5", "1e3", "0x10", "null", "~", "true", "yes", "''", '"2"'),
    *("[]", "{}", "[[]]", "{a: 1}", "- x", "*a", "&a x", "!!int x", "<<: {}", "a b", "A", "-", "x" * 64, "é", "🎉", "日本"),
    *("\t", "\n", "\r", ":", "#", "{", "}", "\x00", "\x1b[31m", "\u202e", "\ud800", "%YAML 1.1", "---", "..."),
    *("clusters", "defaults", "lab/1g.5gb", "nextTier", "single", "mixed", "external", "operator", "off", "kubernetes.io/hostname"),
)  # fmt: skip


@functools.cache
def generated() -> tuple[str, ...]:
    """Return some generated fleets, the same in every run."""
    made: list[str] = []

    @settings(max_examples=GENERATED, derandomize=True, database=None, deadline=None, phases=[Phase.generate])
    @given(fleets())
    def collect(text: str) -> None:
        made.append(text)

    collect()
    return tuple(made)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """Exchange words of a text: a number for another, a word for another of the text, or either for a strange one."""
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 4)))):
        kind = draw(st.sampled_from((NUMBER, NUMBER, NAME, NAME, ANY)))
        words = list(kind.finditer(text))
        if not words:
            return text
        index = st.integers(0, len(words) - 1)
        place = words[draw(index)]
        if kind is NUMBER:
            put = str(draw(st.integers(0, 20)))
        else:
            put = words[draw(index)].group() if kind is NAME else draw(st.sampled_from(STRANGE))
        text = text[: place.start()] + put + text[place.end() :]
    if draw(st.sampled_from((False, False, False, True))):
        lines = text.split("\n")
        at = draw(st.integers(0, len(lines) - 1))
        lines[at : at + 1] = [lines[at]] * draw(st.sampled_from((0, 2)))
        text = "\n".join(lines)
    return text


@st.composite
def folders(draw: st.DrawFn) -> dict[str, str]:
    """Return the files of a fleet folder, of which one is damaged or no fleet at all."""
    match draw(st.sampled_from(("small", "small", "small", "generated", "example", "text", "scraps"))):
        case "small":
            return {"fleet.yaml": draw(damaged(SMALL))}
        case "generated":
            return {"fleet.yaml": draw(damaged(draw(st.sampled_from(generated()))))}
        case "example":
            name = draw(st.sampled_from(sorted(EXAMPLE)))
            return {**EXAMPLE, name: draw(damaged(EXAMPLE[name]))}
        case "text":
            return {"fleet.yaml": draw(st.text(max_size=100)), "other.yaml": SMALL}
        case _:
            return {"fleet.yaml": " ".join(draw(st.lists(st.sampled_from(STRANGE), max_size=30))), "other.yaml": SMALL}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    generated()  # hypothesis cannot run inside hypothesis
    return tmp_path_factory.mktemp("fuzz")


@settings(max_examples=INPUTS, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(files=folders())
def test_any_text_is_accepted_or_gets_findings_at_places_that_exist(folder: Path, files: dict[str, str]) -> None:
    for path in folder.iterdir():
        path.unlink()
    for name, text in files.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    checked = pipeline.check(folder, TODAY)
    event("accepted" if checked.ok else "judged" if checked.fleet else "refused before the rules")
    for finding in checked.findings:
        for span in (finding.at, *(other.at for other in finding.also)):
            assert_exists(span, finding)
    assert findings_text(checked.findings, "full", lines=FileLines(), docs={}, page=Page())
    assert checked.ok or any(finding.severity.value == "error" for finding in checked.findings)
    if checked.ok and checked.fleet is not None:
        assert pipeline.render(checked.fleet)[1] == ()


def test_the_fleets_to_damage_are_accepted_as_they_are(tmp_path: Path) -> None:
    for number, text in enumerate((SMALL, *generated())):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "fleet.yaml").write_text(text, encoding="utf-8")
        assert pipeline.check(folder, TODAY).ok, text


def assert_exists(span: Span, finding: Diagnostic) -> None:
    """A place is inside a file, or is the start of one that cannot be shown."""
    text = Path(span.file).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    if (span.line, span.column, span.end_line, span.end_column) == (1, 1, 1, 1):
        return
    lines = split_lines(text)
    assert 1 <= span.line <= span.end_line <= len(lines), finding
    assert 1 <= span.column <= len(lines[span.line - 1]) + 1, finding
    assert 1 <= span.end_column <= len(lines[span.end_line - 1]) + 1, finding
    assert (span.line, span.column) <= (span.end_line, span.end_column), finding

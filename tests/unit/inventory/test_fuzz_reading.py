"""Whatever files hold, reading them raises nothing, and each place that it names is one of the file."""

from __future__ import annotations

import os
import random
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.reading.read import Read, read_paths
from gpuplan.source.document import split_lines
from gpuplan.source.foreign import parse_foreign
from gpuplan.source.pieces import is_unusual, pieces
from gpuplan.source.quick import EMPTY, UNREAD, quick
from tests.unit.inventory.damage import damaged

EXAMPLES = 5_000 if os.environ.get("CI") else 300
"""Files to try; CI tries all 5,000."""
INPUTS = Path(__file__).parents[2] / "cases" / "inputs"
SOUND = [path.read_text(encoding="utf-8") for path in sorted(INPUTS.glob("C*.yaml"))]


def places(found: Read) -> list[tuple[int, int]]:
    """Ask for the place of every finding and of some values of every item."""
    spans = [finding.at for finding in found.findings]
    for item in (*found.objects, *found.configs):
        spans += [item.root.span, item.root["spec"].key_span, item.root["metadata"]["name"].span]
        spans += [view.key_span for _, view in item.root.entries()]
        if isinstance(item, Config):
            spans.append(item.root.inside(0))
    return [(span.line, span.column) for span in spans]


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SOUND), st.integers(0, 2**32), st.sampled_from([None, None, None, *Format]))
def test_no_damage_to_a_file_makes_reading_fail_and_all_places_lie_in_it(
    text: str, seed: int, as_format: Format | None
) -> None:
    broken = damaged(text, random.Random(seed))
    data = broken.encode("utf-8", "replace")
    found = read_paths([Path("-")], as_format, stdin=lambda: data)
    count = len(split_lines(broken)) + broken.count("\x85") + broken.count("\u2028")
    assert all(1 <= line <= count + 1 and column >= 1 for line, column in places(found))


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(SOUND), st.integers(0, 2**32))
def test_what_the_quick_reader_reads_the_whole_parser_reads_alike(text: str, seed: int) -> None:
    broken = damaged(text, random.Random(seed))
    for piece in (*pieces("a.yaml", text), *pieces("a.yaml", broken)):
        value = quick(piece.text) if not is_unusual(piece.text) else UNREAD
        if value is UNREAD:
            continue
        read = parse_foreign("a.yaml", piece.text)
        whole = [root.plain() for root in read.roots]
        assert (repr(whole), read.findings) == (repr([] if value is EMPTY else [value]), ())


@settings(max_examples=EXAMPLES, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_reading_fail(data: bytes) -> None:
    places(read_paths([Path("-")], stdin=lambda: data))

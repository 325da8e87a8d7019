"""Lists of counters are read as dcgm-exporter reads them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.inventory.metrics.counters import FaultKind, read
from tests.controlplane.fixtures import go_or_skip
from tests.controlplane.toolchain import go_environment

RECORDS = {
    "A, gauge, x": [("A", "gauge", "x", 1)],
    "# a, b\n\nA , counter ,x\n": [("A", "counter", "x", 3)],
    'A,gauge,"x, ""y"""': [("A", "gauge", 'x, "y"', 1)],
    'A,gauge,"x\ny"\nB,gauge,z': [("A", "gauge", "x\ny", 1), ("B", "gauge", "z", 3)],
    "A,gauge,x\r\nB,gauge,y\r\n": [("A", "gauge", "x", 1), ("B", "gauge", "y", 2)],
    "A,,": [("A", "", "", 1)],
    "": [],
}
FAULTS = {
    "A, gauge, x\nB, gauge, y, z": (FaultKind.FIELD_COUNT, 2, 2),
    "# c\nA, gauge": (FaultKind.FIELD_COUNT, 1, 2),
    "A, gauge, x\n  # c": (FaultKind.FIELD_COUNT, 2, 2),
    "A, gauge, x\n   \n": (FaultKind.FIELD_COUNT, 2, 2),
    'A, gauge, "x"': (FaultKind.QUOTE, 1, 1),
    'A,gauge,"x"y': (FaultKind.QUOTE, 1, 1),
    'A,gauge,"x\nB,gauge,y': (FaultKind.QUOTE, 1, 1),
}
READER = """package main

import ("encoding/csv"; "encoding/json"; "os"; "strings")

func main() {
	var texts []string
	json.NewDecoder(os.Stdin).Decode(&texts)
	found := [][][]string{}
	for _, text := range texts {
		reader := csv.NewReader(strings.NewReader(text))
		reader.Comment = '#'
		records, err := reader.ReadAll()
		sound := err == nil
		for _, record := range records {
			sound = sound && len(record) == 3
			for i := range record { record[i] = strings.Trim(record[i], " ") }
		}
		if records == nil { records = [][]string{} }
		if !sound { records = nil }
		found = append(found, records)
	}
	json.NewEncoder(os.Stdout).Encode(found)
}
"""
PIECES = [
    "A",
    "B_C",
    " ",
    ",",
    ",",
    ",",
    '"',
    '"',
    "\n",
    "#",
    "x y",
    "\r\n",
    '""',
    "\t",
    "A,b,c\n",
    'A, "b", c\n',
    '"a,b",c,d\n',
]


@pytest.mark.parametrize("text", RECORDS)
def test_records_have_three_trimmed_fields_and_a_line(text: str) -> None:
    found = read(text)
    assert [(one.name, one.type, one.help, one.line) for one in found.records] == RECORDS[text]
    assert not found.faults


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_has_its_record_and_its_line(text: str) -> None:
    fault = read(text).faults[0]
    assert (fault.kind, fault.number, fault.line) == FAULTS[text]


def test_what_follows_a_fault_is_read() -> None:
    assert [one.name for one in read('A, gauge, "x"\nB, gauge, y\nC, gauge\nD, gauge, z').records] == ["B", "D"]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_text_is_read(text: str) -> None:
    found = read(text)
    lines = [one.line for one in found.records] + [one.line for one in found.faults]
    assert all(1 <= line <= text.count("\n") + 1 for line in lines)


def test_go_reads_every_list_alike(tmp_path: Path) -> None:
    go = go_or_skip()
    texts: list[str] = [*RECORDS, *FAULTS]

    @given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    (tmp_path / "main.go").write_text(READER)
    ran = subprocess.run(
        [go, "run", "main.go"],
        cwd=tmp_path,
        env=go_environment(),
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    for text, theirs in zip(texts, json.loads(ran.stdout), strict=True):
        found = read(text)
        ours = None if found.faults else [[one.name, one.type, one.help] for one in found.records]
        assert ours == theirs, text

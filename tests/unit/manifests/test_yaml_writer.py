"""The YAML writer: what it writes is read back unchanged by every reader that a manifest meets."""

from __future__ import annotations

import enum
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from gpuplan.manifests.write import header, object_text, yaml_text
from tests.unit.manifests.json_values import AWKWARD, values


def read_by_pyyaml(text: str) -> object:
    """YAML 1.1, by libyaml."""
    return yaml.load(text, Loader=yaml.CSafeLoader)


def read_by_ruamel(text: str) -> object:
    """YAML 1.2."""
    return YAML(typ="safe", pure=True).load(text)


def read_by_kubernetes(binary: Path, texts: Sequence[str]) -> list[object]:
    """sigs.k8s.io/yaml, strictly: the reader behind kubectl and the API server."""
    done = subprocess.run([binary], input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=60)
    return [reading.get("value", reading.get("error")) for reading in json.loads(done.stdout)]


def as_floats(value: object) -> object:
    """Replace each number by its float: Go prints 2⁶⁰ as a float's shortest digits, which Python reads as an integer."""
    if isinstance(value, dict):
        return {key: as_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_floats(inner) for inner in value]
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_strings_are_read_back_as_they_were_in_every_place(text: str) -> None:
    document = {"value": text, "list": [text, [text], {"in": text}], "map": {text: text}, "last": "x"}
    written = yaml_text(document)
    assert read_by_pyyaml(written) == document
    assert yaml.safe_load(written) == document
    assert read_by_ruamel(written) == document


@settings(max_examples=400, deadline=None)
@given(values)
def test_any_json_value_is_read_back_as_it_was(value: object) -> None:
    written = yaml_text(value)
    assert read_by_pyyaml(written) == value
    assert read_by_ruamel(written) == value


@pytest.mark.controlplane
def test_awkward_strings_are_read_back_as_they_were_by_kubernetes(yamlread: Path) -> None:
    documents = [{"value": text, "list": [text, [text], {"in": text}], "map": {text: text}} for text in AWKWARD]
    assert read_by_kubernetes(yamlread, list(map(yaml_text, documents))) == documents


@pytest.mark.controlplane
@settings(max_examples=25, deadline=None)
@given(several=st.lists(values, min_size=20, max_size=60))
def test_any_json_value_is_read_back_as_it_was_by_kubernetes(yamlread: Path, several: list[object]) -> None:
    read = read_by_kubernetes(yamlread, list(map(yaml_text, several)))
    assert as_floats(read) == as_floats(several)


@settings(max_examples=200, deadline=None)
@given(values)
def test_a_text_ends_in_one_line_break_no_line_in_white_space_and_nothing_in_it_is_unseen(value: object) -> None:
    written = yaml_text(value)
    assert written.endswith("\n")
    assert not written.endswith("\n\n")
    assert all(line == line.rstrip(" \t") for line in written.split("\n"))
    assert not set("\x00\x07\r\x7f\x85\xa0\u200b\u202e\u2028\u2029\ufeff") & set(written), (
        "what nobody can see is escaped"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("train", "train"),
        ("/dev/nvidia0", "/dev/nvidia0"),
        ("kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/queue-name"),
        ("on", '"on"'),
        ("NO", '"NO"'),
        ("64", '"64"'),
        ("nvcr.io/cuda:13", '"nvcr.io/cuda:13"'),
        ('say "hi"\\', '"say \\"hi\\"\\\\"'),
        ("a\tb", '"a\\tb"'),
        ("no-break\xa0space", '"no-break\\u00a0space"'),
        ("réseau 東京", '"réseau 東京"'),
        ("two\nlines", "|-\n  two\n  lines"),
        ("two\n\nlines\n", "|\n  two\n\n  lines"),
        ("ends twice\n\n", '"ends twice\\n\\n"'),
        (" indented\nfirst", '" indented\\nfirst"'),
        ("space at \nan end", '"space at \\nan end"'),
        ("carriage\r\nreturn", '"carriage\\r\\nreturn"'),
    ],
)
def test_a_string_is_plain_quoted_or_a_block_as_the_readers_need(text: str, written: str) -> None:
    assert yaml_text(text) == written + "\n"


def test_an_object_reads_like_one_written_by_hand() -> None:
    cohort = {
        "kind": "Cohort",
        "spec": {
            "resourceGroups": [{"coveredResources": ["nvidia.com/gpu"], "flavors": [{"name": "lab", "resources": []}]}],
            "fairSharing": {"weight": "0"},
        },
        "metadata": {"name": "scratch", "labels": {"z": "2", "a": "1"}},
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "count": 3,
        "share": 0.5,
        "on": True,
        "nothing": None,
        "empty": {},
    }
    assert (
        object_text(cohort)
        == """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata:
  name: scratch
  labels:
    a: "1"
    z: "2"
spec:
  resourceGroups:
  - coveredResources:
    - nvidia.com/gpu
    flavors:
    - name: lab
      resources: []
  fairSharing:
    weight: "0"
count: 3
share: 0.5
"on": true
nothing: null
empty: {}
"""
    )


def test_the_order_in_which_labels_were_collected_does_not_show() -> None:
    one = {
        "metadata": {"labels": {"a": "1", "b": "2"}, "annotations": {"y": "1", "x": "2"}},
        "data": {"k": "v", "a": "b"},
    }
    other = {
        "metadata": {"labels": {"b": "2", "a": "1"}, "annotations": {"x": "2", "y": "1"}},
        "data": {"a": "b", "k": "v"},
    }
    assert yaml_text(one) == yaml_text(other)


def test_the_same_value_twice_is_written_twice_and_never_as_an_alias() -> None:
    shared = {"key": "gpu", "operator": "Exists"}
    assert yaml_text([shared, shared]) == "- key: gpu\n  operator: Exists\n" * 2


def test_an_enumeration_of_strings_is_written_as_its_value() -> None:
    class Effect(enum.StrEnum):
        NO_SCHEDULE = "NoSchedule"

    assert yaml_text({"effect": Effect.NO_SCHEDULE}) == "effect: NoSchedule\n"


def test_tuples_are_lists() -> None:
    assert yaml_text({"args": ("a", "b")}) == yaml_text({"args": ["a", "b"]})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_lacks_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not a JSON number"):
        yaml_text({"weight": value})


@pytest.mark.parametrize("value", [b"bytes", {"set"}, object()])
def test_values_that_json_lacks_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match="not a JSON value"):
        yaml_text({"value": value})


def test_the_header_names_the_spec_files_and_is_a_comment() -> None:
    opening = header(["fleet/pools.yaml", "fleet/teams.yaml"])
    assert opening == "# Code generated by gpuplan from fleet/pools.yaml, fleet/teams.yaml; DO NOT EDIT.\n"
    assert yaml.safe_load(opening + yaml_text({"a": 1})) == {"a": 1}

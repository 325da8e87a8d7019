"""A configuration inside another text is read as such, and its places are those of the file that people edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan.inventory.items import Config, Format
from gpuplan.inventory.reading.read import Read, read_paths

HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
WAYS = {
    "a literal block": ("  c: |\n    version: v1\n    sharing:\n      mps: {resources: []}\n", (6, 5), (8, 7)),
    "a block without its last line end": ("  c: |-\n    version: v1\n    sharing:\n      mps: {}\n", (6, 5), (8, 7)),
    "a block that says its indentation": ("  c: |2\n    version: v1\n    sharing:\n      mps: {}\n", (6, 5), (8, 7)),
    "a block after empty lines": ("  c: |+ # kept\n\n\n    version: v1\n    sharing:\n     mps: {}\n\n", (8, 5), (10, 6)),
    "a block with comments": ("  c: |\n    # mine\n    version: v1\n\n    sharing: {mps: {}}\n", (7, 5), (9, 15)),
    "JSON in a folded block": ('  c: >-\n    {"version": "v1",\n    "sharing": {"mps": {}}}\n', (6, 6), (7, 17)),
    "JSON in quotes": ("""  c: '{"version": "v1", "sharing": {"mps": {}}}'\n""", (5, 8), (5, 37)),
}  # fmt: skip


def read(text: str) -> Read:
    """Read a text as a file."""
    return read_paths([Path("-")], stdin=text.encode)


def place(config: Config, *keys: str) -> tuple[int, int]:
    """Line and column of a key."""
    span = config.root.walk(*keys).key_span
    return span.line, span.column


@pytest.mark.parametrize(("text", "version", "mps"), WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("before", ["", "kind: Node\napiVersion: v1\n---\n"], ids=["first", "second document"])
def test_a_key_of_a_configuration_in_a_config_map_stands_where_it_is_written(
    text: str, version: tuple[int, int], mps: tuple[int, int], before: str
) -> None:
    found = read(before + HEAD + text)
    (config,) = found.configs
    down = before.count("\n")
    assert (config.format, config.name, found.findings) == (Format.PLUGIN, "c", ())
    assert place(config, "version") == (version[0] + down, version[1])
    assert place(config, "sharing", "mps") == (mps[0] + down, mps[1])
    assert (config.root.span.line, config.root.span.column) == (5 + down, 3)


VALUES = "config:\n  map:\n    default: |-\n      version: v1\n      sharing:\n        timeSlicing: {}\n"


def indented(text: str, spaces: int) -> str:
    """Shift each line of a text to the right."""
    return "".join(f"{' ' * spaces}{line}\n" for line in text.splitlines())


INSTALLED = {
    "values": (VALUES, (6, 9)),
    "values of a chart of charts": ("nvidia-device-plugin:\n" + indented(VALUES, 2), (7, 11)),
    "a release of Flux": (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n"
        "  chart: {spec: {chart: nvidia-device-plugin}}\n  values:\n" + indented(VALUES, 4),
        (11, 13),
    ),
    "an application of Argo CD": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    chart: nvidia-device-plugin\n"
        "    helm:\n      values: |\n" + indented(VALUES, 8),
        (13, 17),
    ),
    "an application of several sources": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  sources:\n  - chart: nvidia-device-plugin\n"
        "    helm:\n      valuesObject:\n" + indented(VALUES, 8),
        (13, 17),
    ),
    "a chart of k3s": (
        "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nspec:\n  chart: nvidia-device-plugin\n  valuesContent: |\n"
        + indented(VALUES, 4),
        (11, 13),
    ),
}


@pytest.mark.parametrize(("text", "at"), INSTALLED.values(), ids=INSTALLED)
def test_texts_in_texts_are_read_wherever_a_chart_is_installed(text: str, at: tuple[int, int]) -> None:
    found = read(text)
    formats = [one.format for one in found.configs]
    assert sorted(formats, key=lambda one: one.value) == [Format.PLUGIN, Format.PLUGIN_VALUES]
    assert place(found.configs[formats.index(Format.PLUGIN)], "sharing", "timeSlicing") == at


def test_a_record_of_counters_stands_where_it_is_written() -> None:
    text = "# one\nDCGM_FI_DEV_GPU_TEMP, gauge, x\nDCGM_FI_DEV_FB_USED, gauge, y\n"
    (config,) = read(HEAD + "  mine.csv: |\n" + indented(text, 4)).configs
    span = config.root.inside(text.index("DCGM_FI_DEV_FB"))
    assert (config.format, span.line, span.column) == (Format.COUNTERS, 8, 5)
    assert config.root.span.line == 5


def test_a_fault_inside_a_text_is_found_where_it_is_written() -> None:
    text = "  c: |\n    version: v1\n    sharing: {mps: {}}\n    sharing: {}\n  d: |\n    mig-configs:\n      a: [1\n"
    found = read(HEAD + text).findings
    assert [(f.rule, f.at.line, f.at.column) for f in found] == [("yaml/duplicate-key", 8, 5), ("yaml/syntax", 11, 10)]


def test_texts_about_something_else_and_templates_are_left_alone() -> None:
    text = "  a.yaml: |\n    x: [1\n  b: |\n    mig-configs: {{ .x }}\n  c: 'sharing is caring'\n  d: |\n    version: v1\n  e:\n"
    found = read(HEAD + text)
    assert (found.configs, found.findings) == ((), ())


def test_a_profile_without_a_word_is_one_beside_others() -> None:
    text = "  a: |\n    version: v1\n    sharing: {mps: {}}\n  whole: |\n    version: v1\n  none: ''\n  notes: hello\n"
    assert [one.name for one in read(HEAD + text).configs] == ["a", "whole", "none"]


def test_the_configuration_of_kueue_is_told_by_its_key_too() -> None:
    text = "  controller_manager_config.yaml: |\n    kind: Configuration\n    manageJobsWithoutQueueName: true\n"
    assert [one.format for one in read(HEAD + text).configs] == [Format.KUEUE]

"""What `gpuplan fmt` makes of single pieces of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplan import catalog
from gpuplan.format.order import Place, below, fixed_keys, root
from gpuplan.format.style import in_style
from gpuplan.report import starter
from gpuplan.spec import jsonschema

FLEET = Path(__file__).parents[3] / "fleet"

CASES = {
    "the sections in the order of the spec, a blank line around blocks": (
        "teams:\n  a: {namespaces: [a]}\nkind: Fleet\nclusters:\n  eu: {os: rhel9}\napiVersion: gpuplan.dev/v1alpha1\n",
        "apiVersion: gpuplan.dev/v1alpha1\nkind: Fleet\n\nclusters:\n  eu: {os: rhel9}\n\nteams:\n  a: {namespaces: [a]}\n",
    ),
    "keys in the order of the spec, names in their own": (
        "nodePools:\n  b:\n    nodes: 1\n    tier: t\n  a: {nodes: 2, cluster: c}\n",
        "nodePools:\n  b:\n    tier: t\n    nodes: 1\n  a: {cluster: c, nodes: 2}\n",
    ),
    "fixed keys before names where a place takes both": (
        "teams:\n  a:\n    quotas: {notebooks: {desk: {cap: 3}, weight: 2}}\n",
        "teams:\n  a:\n    quotas: {notebooks: {weight: 2, desk: {cap: 3}}}\n",
    ),
    "unknown keys last": ("teams:\n  a: {zzz: 1, namespaces: [a]}\n", "teams:\n  a: {namespaces: [a], zzz: 1}\n"),
    "two columns a level, dashes under their key": (
        "nodePools:\n    a:\n        taints:\n            -   key: x\n                effect: NoExecute\n            - {key: y}\n",
        "nodePools:\n  a:\n    taints:\n    - key: x\n      effect: NoExecute\n    - {key: y}\n",
    ),
    "quotes only where they are needed": (
        'x: \'yes\'\ny: "plain text"\nz: [\'1.36\', "1.36", \'a\', "@b", "a: b", \'it\'\'s\', "null", "08:00"]\n',
        'x: "yes"\ny: plain text\nz: ["1.36", "1.36", a, "@b", "a: b", \'it\'\'s\', "null", "08:00"]\n',
    ),
    "one space in brackets on one line": (
        'a: {b : [ 1,2 ,3, ] ,"c":{ } }\n',
        "a: {b: [1, 2, 3], c: {}}\n",
    ),
    "broken brackets as the author broke them": (
        "a: [\n    1,2,\n      # two more\n    {b:   3,   # third\n  c: 4},\n]\n",
        "a: [\n  1, 2,\n  # two more\n  {b: 3,  # third\n    c: 4},\n]\n",
    ),
    "at most one blank line, none at the ends, none where a block begins": (
        "\n\na: 1\n\n\n\nb:\n\n  c: 2\n\n\n  d: 3  \n\n\n",
        "a: 1\n\nb:\n  c: 2\n\n  d: 3\n",
    ),
    "comments above go along with their key": (
        "teams:\n  a:\n    # how much\n    quotas: {}\n    # where\n    namespaces: [a]   # one\n",
        "teams:\n  a:\n    # where\n    namespaces: [a]   # one\n    # how much\n    quotas: {}\n",
    ),
    "comments at the end of a block stay in it": (
        "a:\n    b: 1\n    # end of a\n# about c\nc: 2\n# end\n",
        "a:\n  b: 1\n  # end of a\n\n# about c\nc: 2\n# end\n",
    ),
    "comments at the end of a list go along with it": (
        "nodePools:\n  a:\n    taints:\n      - {key: x}\n      # more to come\n    tier: t\n",
        "nodePools:\n  a:\n    tier: t\n    taints:\n    - {key: x}\n      # more to come\n",
    ),
    "comments as deep as a list's key are not the list's": (
        "nodePools:\n  a:\n    taints:\n    - {key: x}\n    # end of a\n  b: {}\n",
        "nodePools:\n  a:\n    taints:\n    - {key: x}\n    # end of a\n  b: {}\n",
    ),
    "comments behind values stay in line with each other": (
        "a:\n    b: 1      # one\n    long: 22  # two\n",
        "a:\n  b: 1      # one\n  long: 22  # two\n",
    ),
    "the line for the editor stays on top": (
        "# yaml-language-server: $schema=x.json\nkind: Fleet\n# the version\napiVersion: v\n",
        "# yaml-language-server: $schema=x.json\n# the version\napiVersion: v\nkind: Fleet\n",
    ),
    "text blocks move with their key": (
        "a:\n    b: |\n          one\n            two\n    c: >-\n     x\n     y\n",
        "a:\n  b: |\n    one\n      two\n  c: >-\n    x\n    y\n",
    ),
    "text blocks that say their indentation keep what they say": (
        "a:\n      b: |1\n         x\n",
        "a:\n  b: |1\n     x\n",
    ),
    "long plain text stays broken": ("a:\n   b: one\n        two\n", "a:\n  b: one\n    two\n"),
    "documents stay apart": ("a: 1\n---   \n\nb: 2\n...\n", "a: 1\n---\nb: 2\n"),
    "line ends are LF and the last line has one": ("a: 1\r\nb: 2", "a: 1\nb: 2\n"),
    "directives stay before their document": (
        "%YAML 1.2\n---\na:   1\n...\n%YAML 1.2\n--- # two\nb: 2\n",
        "%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n--- # two\nb: 2\n",
    ),
    "keys take one line": (
        '? a\n: b\n? "two\n  words"\n: c\n? "a: \\\n  b"\n: d\n',
        'a: b\ntwo words: c\n"a: b": d\n',
    ),
    "anchors keep the order of keys": (
        "kind: &k Fleet\napiVersion:   *k\nb: &x\n    c: 1\n",
        "kind: &k Fleet\napiVersion: *k\n\nb: &x\n  c: 1\n",
    ),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_fmt_writes(text: str, expected: str) -> None:
    styled = in_style("x.yaml", text)
    assert (styled.text, styled.findings) == (expected, ())
    assert in_style("x.yaml", expected).text == expected


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "a: [1\n", "<<: {a: 1}\n", "8: x\n"])
def test_a_text_with_an_error_is_left_alone_with_the_finding(text: str) -> None:
    styled = in_style("x.yaml", text)
    assert styled.text is None
    assert styled.findings


@pytest.mark.parametrize("file", sorted(FLEET.glob("*.yaml")), ids=lambda file: file.name)
def test_the_example_is_in_style(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert in_style(file.name, text).text == text


def test_every_key_of_the_spec_keeps_its_place_once() -> None:
    for path in ((), ("nodePools", "a"), ("nodePools", "a", "sharing"), ("teams", "a"), ("governance",)):
        place: Place | None = root()
        for key in path:
            place = below(place, key)
        keys = fixed_keys(place)
        assert sorted(keys) == sorted(set(jsonschema.keys(jsonschema.at(path))))
        assert sorted(keys.values()) == list(range(len(keys)))


@pytest.mark.parametrize("card", ["l40s", "h100-sxm-80gb", "mi300x", "ascend-310p3", "v100-sxm2-16gb"])
def test_the_fleet_that_init_writes_is_in_style(card: str) -> None:
    known = catalog.load()
    assert card in known.cards
    text = starter.fleet_text(known, name="acme", cluster="prod", card=card, nodes=4, cards_per_node=4)
    assert in_style("fleet.yaml", text).text == text

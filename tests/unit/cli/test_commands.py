"""What commands print for programs, and lists that a transcript would freeze."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from gpuplan import catalog
from gpuplan.cli import COMMANDS
from gpuplan.report.book import BOOK
from tests.cli.transcript import TODAY, in_process

ROOT = Path(__file__).parents[3]
TWO_MISTAKES = """\
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: tiny}
clusters: {eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s], suit: [training]}}
nodePools:
  a: {cluster: ue, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {labels: {pool: a}}}
"""
PLACES = [("fleet/fleet.yaml", 4, "spec/unknown-key"), ("fleet/fleet.yaml", 6, "ref/unknown-name")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPUPLAN_TODAY", TODAY)


def written(text: str) -> None:
    Path("fleet").mkdir()
    Path("fleet/fleet.yaml").write_text(text, encoding="utf-8")


def result(*arguments: str, code: int = 0) -> str:
    outcome = in_process(list(arguments))
    assert (outcome.exit_code, outcome.stderr) == (code, "")
    return outcome.stdout


def places_in_json(text: str) -> list[tuple[str, int, str]]:
    data = json.loads(text)
    assert data["format_version"] == "1.0"
    assert data["summary"] == {"error": 2, "warning": 0, "info": 0}
    return [(f["at"]["file"], f["at"]["line"], f["rule"]) for f in data["findings"]]


def places_in_sarif(text: str) -> list[tuple[str, int, str]]:
    (run,) = json.loads(text)["runs"]
    described = {rule["id"]: rule["help"]["text"] for rule in run["tool"]["driver"]["rules"]}
    assert all(described.values())
    spots = [(r["locations"][0]["physicalLocation"], r["ruleId"]) for r in run["results"]]
    return [(spot["artifactLocation"]["uri"], spot["region"]["startLine"], rule) for spot, rule in spots]


def places_in_junit(text: str) -> list[tuple[str, int, str]]:
    cases = ET.fromstring(text).iter("testcase")
    return [(c.attrib["file"], int(c.attrib["line"]), c[0].attrib["type"]) for c in cases]


def places_in_concise(text: str) -> list[tuple[str, int, str]]:
    lines = [line.split(" ") for line in text.splitlines()]
    spots = [(line[0].split(":"), line[2].rstrip(":")) for line in lines]
    return [(spot[0], int(spot[1]), rule) for spot, rule in spots]


def places_in_github(text: str) -> list[tuple[str, int, str]]:
    commands = [line.split("::")[1] for line in text.splitlines() if line.startswith("::error ")]
    facts = [dict(pair.split("=") for pair in line.removeprefix("error ").split(",")) for line in commands]
    return [(fact["file"], int(fact["line"]), fact["title"].replace("%2F", "/")) for fact in facts]


READERS = {
    "json": places_in_json,
    "sarif": places_in_sarif,
    "junit": places_in_junit,
    "concise": places_in_concise,
    "github": places_in_github,
}


@pytest.mark.parametrize("command", ["check", "render", "render --check"])
@pytest.mark.parametrize("output_format", READERS)
def test_every_format_holds_the_same_findings(command: str, output_format: str) -> None:
    written(TWO_MISTAKES)
    text = result(*command.split(), "--output-format", output_format, code=1)
    assert READERS[output_format](text) == PLACES


@pytest.mark.parametrize("output_format", ["json", "sarif", "junit"])
def test_formats_for_programs_are_whole_also_where_nothing_was_found(output_format: str) -> None:
    written(
        TWO_MISTAKES.replace(", suit: [training]", "").replace("ue", "eu")
        + 'delivery: {argocd: {repoURL: "https://g.acme.test"}}\n'
    )
    text = result("check", "--output-format", output_format)
    assert ET.fromstring(text) is not None if output_format == "junit" else json.loads(text)
    rendered = in_process(["render", "--output-format", output_format])
    assert (rendered.exit_code, rendered.stdout) == (0, text)


def test_cards_lists_the_whole_catalogue_to_people_and_programs() -> None:
    names = sorted(catalog.load().cards)
    assert [line.split()[0] for line in result("cards").splitlines()[1:]] == names
    data = json.loads(result("cards", "--output-format", "json"))
    assert [card["name"] for card in data["cards"]] == names
    (one,) = json.loads(result("cards", "l4", "--output-format", "json"))["cards"]
    assert one["memoryGiB"] == 24
    assert set(one["unchecked"]) <= set(one)


def test_rule_lists_every_finding_to_people_and_programs() -> None:
    assert [line.split()[0] for line in result("rule").splitlines()] == list(BOOK)
    data = json.loads(result("rule", "--output-format", "json"))
    assert [rule["id"] for rule in data["rules"]] == list(BOOK)
    (one,) = json.loads(result("rule", "quota/over-capacity", "--output-format", "json"))["rules"]
    assert one["severity"] == "error"
    assert one["fix"]


@pytest.mark.parametrize("rule", BOOK)
def test_every_finding_has_a_page(rule: str) -> None:
    assert result("rule", rule).startswith(f"# {rule}\n")


def test_schema_prints_the_published_schema_and_knows_when_a_file_is_stale() -> None:
    published = (ROOT / "schemas/fleet.schema.json").read_text(encoding="utf-8")
    assert result("schema") == published
    assert result("schema", "--out", "s.json") == ""
    assert Path("s.json").read_text(encoding="utf-8") == published
    assert result("schema", "--out", "s.json", "--check") == ""
    Path("s.json").write_bytes(b"\xff")
    stale = in_process(["schema", "--out", "s.json", "--check"])
    assert (stale.exit_code, stale.stderr) == (1, "s.json is stale; run `gpuplan schema --of fleet --out s.json`.\n")
    assert in_process(["schema", "--check"]).exit_code == 2
    assert in_process(["schema", "--out", "no/such/folder"]).exit_code == 2


@pytest.mark.parametrize("card", catalog.load().cards)
def test_init_makes_a_fleet_of_any_card_that_checks_with_the_documented_warning_only(card: str) -> None:
    assert in_process(["init", "--card", card]).exit_code == 0
    found = json.loads(result("check", "--output-format", "json"))["findings"]
    assert [finding["rule"] for finding in found] == ["delivery/example-repository"]


@pytest.mark.parametrize(
    ("card", "taint"), [("l4", "nvidia.com/gpu"), ("mi300x", "amd.com/gpu"), ("gaudi3", "habana.ai/gaudi")]
)
def test_init_taints_nodes_by_what_their_cards_are_asked_for_by(card: str, taint: str) -> None:
    assert in_process(["init", "--card", card]).exit_code == 0
    assert f"taints: [{{key: {taint}, effect: NoSchedule}}]" in Path("fleet/fleet.yaml").read_text(encoding="utf-8")


def test_the_stack_that_init_names_for_amds_cards_works() -> None:
    assert in_process(["init", "--card", "mi300x"]).exit_code == 0
    spec = Path("fleet/fleet.yaml")
    text = spec.read_text(encoding="utf-8")
    assert "With `stack: operator`" in text
    spec.write_text(text.replace("stack: external", "stack: operator"), encoding="utf-8")
    found = json.loads(result("check", "--output-format", "json"))["findings"]
    assert {finding["rule"] for finding in found} == {"delivery/example-repository", "card/vendor-agents-expected"}
    assert in_process(["render"]).exit_code == 0


@pytest.mark.parametrize("cards", [1, 2, 3, 8])
def test_init_makes_a_fleet_of_few_cards_too(cards: int) -> None:
    assert in_process(["init", "--nodes", "1", "--cards-per-node", str(cards)]).exit_code == 0
    assert in_process(["render"]).exit_code == 0


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_explains_itself_in_full_sentences(command: str) -> None:
    text = result(command, "--help")
    assert text.startswith(f"Usage: gpuplan {command} ")
    assert COMMANDS[command].endswith(".")


def test_a_long_list_of_stale_files_ends_with_a_number() -> None:
    in_process(["init"])
    lines = in_process(["render", "--check"]).stderr.splitlines()
    assert len([line for line in lines if line.startswith("  missing  ")]) == 20
    assert lines[-2].startswith("  … and ")
    assert lines[-1].startswith("rendered is stale: ")


def test_a_message_lists_only_a_few_of_many_clusters() -> None:
    names = [f"c{number}" for number in range(12)]
    pools = "".join(
        f"  {name}: {{cluster: {name}, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {{labels: {{p: a}}}}}}\n"
        for name in names
    )
    clusters = ", ".join(f'{name}: {{kubernetes: "1.36"}}' for name in names)
    written(
        f"apiVersion: gpuplan.dev/v1alpha1\nmetadata: {{name: tiny}}\nclusters: {{{clusters}}}\ncardTiers: {{serve: {{cards: [l40s]}}}}\nnodePools:\n{pools}"
    )
    outcome = in_process(["show", "--cluster", "berlin"])
    assert outcome.stderr.endswith(
        "No cluster is called 'berlin'. The fleet has c0, c1, c2, c3, c4, c5, c6, c7 and 4 more.\n"
    )

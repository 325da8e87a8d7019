"""Each piece of a fleet that the documentation shows is one that gpuplan takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gpuplan import catalog, pipeline
from gpuplan.diagnostics import Severity
from gpuplan.source.document import Plain
from gpuplan.source.yamltext import parse_text
from tests.build import TODAY

PAGES = ("getting-started", "stacks", "node-health", "monitoring", "reclaim", "argocd", "adopt")
AROUND = """
clusters: {prod: {kubernetes: "1.36"}, prod-eu: {kubernetes: "1.36"}}
cardTiers: {serve: {cards: [l40s]}, desk: {cards: [t4]}}
nodePools:
  l40s-b: {cluster: prod-eu, tier: serve, nodes: 4, cardsPerNode: 4, selectedBy: {labels: {pool: l40s}}}
  t4-desk:
    {cluster: prod-eu, tier: desk, nodes: 4, cardsPerNode: 4, selectedBy: {labels: {pool: t4}}, sharing: {timeSlicing: {replicas: 4}}}
taskPools: {chat: {kind: onlineInference, service: queued, tiers: [serve]}}
teams: {vision: {namespaces: [vision], quotas: {chat: {clusters: {prod-eu: {serve: {guaranteed: 8}}}}}}}
delivery: {argocd: {repoURL: https://git.acme.example/fleet.git}}
"""
"""What a piece of a fleet needs around it; an entry that the piece defines itself is left out."""
SECTIONS = {
    "clusters",
    "cardTiers",
    "nodePools",
    "taskPools",
    "teams",
    "monitoring",
    "governance",
    "delivery",
    "suppress",
    "names",
    "adopted",
}


def snippets() -> list[tuple[str, str]]:
    """Return the page and the text of each YAML snippet."""
    pages = {page: Path(f"docs/{page}.md").read_text(encoding="utf-8") for page in PAGES}
    return [
        (page, text)
        for page, all_of_it in pages.items()
        for text in re.findall(r"```yaml\n(.*?)```", all_of_it, re.DOTALL)
    ]


def written(text: str) -> dict[str, Plain]:
    parsed = parse_text("docs.yaml", text)
    assert parsed.findings == ()
    (document,) = parsed.documents
    made = document.root.plain()
    assert isinstance(made, dict)
    return made


PIECES = [(page, text) for page, text in snippets() if written(text).keys() & SECTIONS]


def test_there_are_pieces_on_every_page() -> None:
    assert {page for page, _ in PIECES} == set(PAGES)


@pytest.mark.parametrize(("page", "text"), PIECES, ids=[f"{page}-{n}" for n, (page, _) in enumerate(PIECES)])
def test_a_piece_of_a_fleet_has_nothing_wrong(page: str, text: str, tmp_path: Path) -> None:
    piece = written(text)
    around: dict[str, Plain] = {"apiVersion": "gpuplan.dev/v1alpha1", "metadata": {"name": "acme"}}
    for section, entries in written(AROUND).items():
        own = piece.get(section, {})
        assert isinstance(entries, dict)
        assert isinstance(own, dict)
        around[section] = {name: entry for name, entry in entries.items() if name not in own}
    (tmp_path / "around.yaml").write_text(json.dumps(around), encoding="utf-8")
    (tmp_path / "piece.yaml").write_text(text, encoding="utf-8")
    checked = pipeline.check(tmp_path, TODAY)
    assert [f"{one.rule} {one.summary}" for one in checked.findings if one.severity is Severity.ERROR] == []
    assert checked.ok


def test_the_pod_for_hami_names_the_scheduler_and_the_part_that_gpuplan_expects() -> None:
    hami = catalog.load().hami
    (pod,) = (text for _, text in snippets() if "schedulerName" in text)
    assert f"schedulerName: {hami.scheduler}\n" in pod
    assert any(f"{part}:" in pod for part in hami.parts)

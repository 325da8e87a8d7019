"""What `gpuplan drift` and `gpuplan label-nodes` say to bad input, before any cluster is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplan.cli import run
from gpuplan.output.index import INDEX_FILE, sha256

CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x}\n"
FLEET = """
apiVersion: gpuplan.dev/v1alpha1
kind: Fleet
metadata: {name: acme}
clusters: {main: {kubernetes: "1.36", stack: manual}, other: {kubernetes: "1.36", stack: manual}}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  named: {cluster: main, tier: serve, nodes: 2, cardsPerNode: 4, selectedBy: {nfd: {nodeNames: ["serve-.*"]}}}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a fleet, a rendered tree of two clusters, and a kubeconfig that leads nowhere."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    monkeypatch.setenv("GPUPLAN_TODAY", "2026-11-30")
    files = {f"clusters/{name}/10-a/configmap-x-a.yaml": CONFIG for name in ("eu", "us")}
    for file, text in files.items():
        (tmp_path / "rendered" / file).parent.mkdir(parents=True)
        (tmp_path / "rendered" / file).write_text(text, encoding="utf-8")
    listed = {file: {"sha256": sha256(text.encode()), "source": []} for file, text in files.items()}
    index = {"formatVersion": 1, "gpuplan": "0", "files": listed}
    (tmp_path / "rendered" / INDEX_FILE).write_text(json.dumps(index), encoding="utf-8")
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "fleet.yaml").write_text(FLEET, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("drift", 2, "One run looks at one cluster; name it with --cluster (eu, us)"),
        ("drift --cluster eu --cluster us", 2, "One run looks at one cluster"),
        ("drift --cluster ue", 2, "No cluster is called 'ue'. The fleet has eu, us"),
        ("drift --cluster eu", 2, "no cluster is configured"),
        ("drift --out nothing --cluster eu", 2, "is no rendered tree"),
        ("drift --argocd", 2, "The tree has no objects for Argo CD's cluster"),
        ("drift --cluster eu --kubeconfig missing", 2, "does not exist"),
        ("label-nodes", 2, "One run looks at one cluster; name it with --cluster (main, other)"),
        ("label-nodes --cluster main --pool name", 2, "No pool is called 'name'. Did you mean"),
        ("label-nodes --cluster main", 2, "no cluster is configured"),
        ("label-nodes --pool named", 2, "no cluster is configured"),
        ("label-nodes --pool name", 2, "No pool is called 'name'. Did you mean"),
        ("label-nodes --fleet nothing", 1, "nothing"),
    ],
)
def test_bad_input_is_said_in_words(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: str, code: int, words: str
) -> None:
    assert run(arguments.split()) == code

    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""
    assert "Traceback" not in said.err


def test_a_tree_that_is_not_whole_is_not_compared(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "rendered/clusters/eu/10-a/configmap-x-a.yaml").write_text("a: [", encoding="utf-8")
    assert run(["drift", "--cluster", "eu"]) == 2
    assert "clusters/eu/10-a/configmap-x-a.yaml cannot be read" in capsys.readouterr().err

    (place / "rendered" / INDEX_FILE).write_text("{", encoding="utf-8")
    assert run(["drift", "--cluster", "eu"]) == 2
    assert "it is not JSON" in capsys.readouterr().err

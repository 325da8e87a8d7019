"""What the runbooks of alerts tell to type: it can be read, and what it names exists."""

from __future__ import annotations

import functools
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplan import catalog
from gpuplan.cli import COMMANDS
from gpuplan.emit import emitters
from gpuplan.emit.monitoring import series
from gpuplan.manifests.write import yaml_text
from tests.unit.report.alert_fleets import FLEETS, PAGES, everything, fences, page, runbooks


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_gpuplan_that_it_names_exist(name: str) -> None:
    assert set(re.findall(r"`gpuplan ([a-z]+)", page(name))) <= set(COMMANDS)


@pytest.mark.parametrize("name", PAGES)
def test_every_variable_of_a_command_is_set_and_every_command_can_be_read_by_a_shell(name: str) -> None:
    commands = "".join(fences(page(name), "sh"))
    done = subprocess.run(["sh", "-n"], input=commands, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    used = set(re.findall(r"\$([A-Z_]+)", commands)) - {"ALERTMANAGER"}
    assert used <= set(re.findall(r"^([A-Z_]+)=", commands, re.MULTILINE))
    words = set(
        re.findall(r"\b[A-Z][A-Z_]+\b", " ".join(re.findall(r'"([A-Z_]+)"', "".join(fences(page(name), "promql")))))
    )
    assert words <= set(re.findall(r"^([A-Z_]+)=", commands, re.MULTILINE))


KINDS = {
    "application", "clusterqueue", "clusterqueues", "cohorts", "configmap", "configmaps", "deployment", "deployments",
    "events", "jobs", "node", "nodes", "pod", "poddisruptionbudgets", "pods", "replicasets", "rollout", "rollouts",
    "statefulsets", "workloads",
}  # fmt: skip
OTHERS = {"kueue-system"}


def kubectl(text: str) -> Iterator[list[str]]:
    """Yield the words of each call of kubectl."""
    for block in fences(text, "sh"):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            words = shlex.split(line, comments=True)
            if words[:1] == ["kubectl"]:
                yield words[: words.index("|")] if "|" in words else words


@functools.cache
def placed() -> tuple[set[str], set[str]]:
    """Return the namespaces that the fleet renders objects into, and the names of its objects."""
    made = emitters.emit(everything(), lambda *_: None)
    return {one.key.namespace for one in made}, {one.key.name for one in made}


@pytest.mark.parametrize("name", PAGES)
def test_every_command_names_things_that_exist(name: str) -> None:
    namespaces, names = placed()
    namespaces = namespaces | OTHERS | {cluster.gpu_operator.namespace for cluster in everything().clusters}
    for words in kubectl(page(name)):
        if "-n" in words:
            namespace = words[words.index("-n") + 1]
            assert namespace in namespaces or namespace == "$NAMESPACE", words
        rest = [word for word in words[1:] if word != "-n" and word not in namespaces | {"$NAMESPACE"}]
        verb, *others = rest
        if verb == "get" and "/" not in others[0]:
            assert set(others[0].split(",")) <= KINDS, words
            named = others[1] if len(others) > 1 and not others[1].startswith("-") else "$"
            assert named.startswith("$") or named in names or named == "kueue-manager-config", words
        if verb == "logs" and others[0].startswith("deployment/"):
            assert others[0].removeprefix("deployment/") in names, words


def selectors(query: str) -> Iterator[tuple[str, set[str]]]:
    """Yield each metric that a query reads with a selector, and the labels that it asks for."""
    for metric, inside in re.findall(r"([a-zA-Z_:][\w:]*)\{([^}]*)\}", query):
        yield metric, set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", inside))


@functools.cache
def known() -> dict[str, set[str]]:
    """Return every metric and series that may be asked for, with its labels."""
    made = catalog.load()
    engines = {metric: {"namespace", "pod", "model", "version", "task_pool"} for metric in TRITON}
    return {
        **{name: {*metric.labels, "node", "pool"} for name, metric in made.metrics.items()},
        **{one.name: set(one.labels) for one in series.ALL},
        **engines,
    }


TRITON = ("nv_inference_queue_duration_us", "nv_inference_request_duration_us")


@pytest.mark.parametrize("name", PAGES)
def test_every_query_asks_for_metrics_and_labels_that_there_are(name: str) -> None:
    queries = fences(page(name), "promql")
    for query in queries:
        for metric, labels in selectors(query):
            assert labels <= known()[metric], query
        for metric in re.findall(r"\b(?:gpuplan[_:]|kube_|kueue_|DCGM_|argocd_|nv_)[\w:]+", query):
            assert metric in known() or "__name__" in query, metric


def test_every_query_is_promql(promtool: Path, tmp_path: Path) -> None:
    queries = sorted({query for name in FLEETS for text in runbooks(name).values() for query in fences(text, "promql")})
    rules = [{"record": f"query:{number}:x", "expr": query} for number, query in enumerate(queries)]
    (tmp_path / "rules.yaml").write_text(yaml_text({"groups": [{"name": "all", "rules": rules}]}), encoding="utf-8")
    systems = shutil.which("promtool")
    for tool in (promtool, *([Path(systems)] if systems else [])):
        done = subprocess.run(
            [tool, "check", "rules", "rules.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

"""`gpuplan import --kubeconfig` on a real server: with rights to list alone, partial where a right is missing, Secrets unread."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from gpuplan.cluster.snapshot import import_rights
from gpuplan.importer.modern import modern
from tests.cases.table import BY_NAME
from tests.controlplane import rights
from tests.controlplane.client import Client
from tests.controlplane.controlplane import ControlPlane

QUEUES = ("ResourceFlavor", "ClusterQueue", "LocalQueue", "WorkloadPriorityClass")


def taken(folder: Path, config: Path) -> tuple[int, dict[str, Any], str]:
    """Import into a folder; return the exit code, the account, and what was said besides."""
    program = [sys.executable, "-m", "gpuplan", "import", "--kubeconfig", str(config), "--fleet", str(folder / "fleet")]
    done = subprocess.run([*program, "--output-format", "json"], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout or "{}"), done.stderr


def fill(client: Client) -> None:
    """Put a public set of queues and a Secret on the server."""
    client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sessions"}})
    for made in yaml.safe_load_all(BY_NAME["C77"].path.read_text(encoding="utf-8")):
        client.apply(modern(made))
    secret = {"name": "token", "namespace": "sessions"}
    client.apply({"apiVersion": "v1", "kind": "Secret", "metadata": secret, "stringData": {"key": "do-not-read"}})


def test_a_running_cluster_is_imported_with_rights_to_list_and_its_queues_stay(
    empty_control_plane: ControlPlane, tmp_path: Path
) -> None:
    fill(empty_control_plane.client)
    code, account, said = taken(tmp_path, rights.account(empty_control_plane, "importer", import_rights()))
    assert code == 0, said
    assert rights.used(empty_control_plane, "importer") == {right.grant for right in import_rights()}
    fates = {one["object"]: one["fate"] for one in account["objects"] if one["object"].split(" ")[0] in QUEUES}
    assert fates["ClusterQueue platform"] == "kept", account
    assert fates["LocalQueue sessions/sessions"] == "kept"
    assert {fates[f"WorkloadPriorityClass {name}"] for name in ("low", "medium", "high")} == {"kept"}
    assert "Partial" not in said
    text = (tmp_path / "fleet" / "imported.yaml").read_text(encoding="utf-8")
    assert "do-not-read" not in text + said + json.dumps(account)
    assert f'kubernetes: "{empty_control_plane.client.request("GET", "/version")["major"]}.' in text


def test_what_may_not_be_listed_makes_the_answer_partial(empty_control_plane: ControlPlane, tmp_path: Path) -> None:
    fill(empty_control_plane.client)
    some = [right for right in import_rights() if right.resource != "resourceflavors"]
    _, account, said = taken(tmp_path, rights.account(empty_control_plane, "half-importer", some))
    assert "Partial: ResourceFlavor could not be listed" in said
    assert "ResourceFlavor any" not in {one["object"] for one in account["objects"]}


def test_a_server_that_gives_no_answer_ends_with_code_3_and_writes_nothing(tmp_path: Path) -> None:
    config = tmp_path / "gone.kubeconfig"
    cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": "x", "context": {"cluster": "c", "user": "u"}}
    config.write_text(
        json.dumps(
            {"clusters": [cluster], "contexts": [context], "users": [{"name": "u", "user": {}}], "current-context": "x"}
        ),
        encoding="utf-8",
    )
    code, _, said = taken(tmp_path, config)
    assert code == 3, said
    assert "Traceback" not in said
    assert not (tmp_path / "fleet").exists()

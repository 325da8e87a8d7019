"""`gpuplan verify` as a program: with just the rights that are documented, from its own snapshot, and half blind."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

from gpuplan.verify.rights import verify_rights
from tests.controlplane.rights import account, used
from tests.controlplane.verifying.bed import Bed


def test_a_good_cluster_is_green_with_the_documented_rights_and_its_snapshot_says_the_same(
    bed: Bed, tmp_path: Path
) -> None:
    granted = verify_rights(bed.fleet, bed.cluster)
    config = account(bed.plane, "verifier", granted)
    seen = tmp_path / "seen.json"
    servers = ("--prometheus", bed.prometheus, "--alertmanager", bed.alertmanager)

    done = bed.run("--kubeconfig", str(config), *servers, "--save-snapshot", str(seen), "--output-format", "json")

    assert (done.returncode, done.stderr.split(": ")[0]) == (
        0,
        f"Wrote {seen}. It names nodes, accounts and policies of the cluster",
    )
    report = json.loads(done.stdout)
    assert (report["outcome"], report["summary"]["fail"], report["summary"]["unknown"]) == ("pass", 0, 0)
    assert used(bed.plane, "verifier") == {right.grant for right in granted}
    assert bed.prometheus not in seen.read_text(encoding="utf-8"), "how we reach it is nobody else's business"
    again = bed.run("--snapshot", str(seen), "--output-format", "json")
    assert json.loads(again.stdout)["verdicts"] == report["verdicts"]
    people = bed.run("--snapshot", str(seen))
    assert (people.returncode, people.stdout.splitlines()[-1]) == (
        0,
        f"{report['summary']['pass']} pass, 0 fail, 0 unknown.",
    )
    tests = ET.fromstring(bed.run("--snapshot", str(seen), "--output-format", "junit").stdout)
    assert len(list(tests.iter("testcase"))) == len(report["verdicts"])


def test_what_may_not_be_listed_is_unknown_and_fails_where_that_is_asked_for(bed: Bed) -> None:
    some = [right for right in verify_rights(bed.fleet, bed.cluster) if right.resource != "nodes"]
    config = str(account(bed.plane, "half-blind", some))

    done = bed.run("--kubeconfig", config, "--output-format", "json")

    report = json.loads(done.stdout)
    assert (done.returncode, report["summary"]["fail"]) == (0, 0)
    unknown = {one["check"] for one in report["verdicts"] if one["outcome"] == "unknown"}
    assert {"nodes/count", "devices/capacity", "monitoring/targets"} <= unknown
    assert any('cannot list resource "nodes"' in line for line in report["partial"])
    assert bed.run("--kubeconfig", config, "--fail-on", "unknown").returncode == 1


def test_a_server_that_gives_no_answer_ends_with_code_3(bed: Bed, tmp_path: Path) -> None:
    config = json.loads(bed.plane.kubeconfig.read_text(encoding="utf-8"))
    config["clusters"][0]["cluster"] = {"server": "https://127.0.0.1:1"}
    gone = tmp_path / "gone.kubeconfig"
    gone.write_text(json.dumps(config), encoding="utf-8")

    done = bed.run("--kubeconfig", str(gone))

    assert (done.returncode, done.stdout) == (3, "")
    assert "cannot be reached" in done.stderr

"""`gpuplan cost` among servers and people: who asks, what is missing, how far it is, and Ctrl-C."""

from __future__ import annotations

import csv
import datetime
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplan.report import progress
from tests.cli.transcript import ENVIRONMENT, in_process
from tests.controlplane.certificates import write_certificates
from tests.prometheus import spring
from tests.prometheus.gateway import NO_FAULT, SILENT, Gateway, gateway

ROOT = Path(__file__).parents[2]


@pytest.fixture
def mimir(spring_url: str) -> Iterator[Gateway]:
    """A gateway with Mimir's prefix, a tenant, and a token that it wants."""
    with gateway(upstream=spring_url, prefix="/prometheus", tenant="acme", authorization="Bearer let-me-in") as made:
        yield made


def test_a_tenant_and_a_token_are_taken_from_options_files_and_the_environment(
    mimir: Gateway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["cost", "--prometheus", f"{mimir.url}/", *spring.ARGUMENTS]
    (tmp_path / "token").write_text("let-me-in\n", encoding="utf-8")
    by_file = in_process([*asked, "--tenant", "acme", "--token-file", str(tmp_path / "token")])
    assert (by_file.exit_code, by_file.stderr) == (0, "")
    monkeypatch.setenv("GPUPLAN_PROMETHEUS_TOKEN", "let-me-in")
    assert in_process([*asked, "--header", "X-Scope-OrgID: acme"]) == by_file
    without = in_process(asked)
    assert (without.exit_code, without.stdout) == (3, "")
    assert "HTTP 401: no org id" in without.stderr
    assert "let-me-in" not in without.stderr


def test_a_password_is_taken_from_a_file_the_environment_or_the_address(
    spring_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_certificates(tmp_path)
    (tmp_path / "password").write_text("p:w d\n", encoding="utf-8")
    with gateway(tmp_path, upstream=spring_url, authorization="Basic YW5uOnA6dyBk") as made:
        asked = ["cost", *spring.ARGUMENTS, "--ca-file", str(tmp_path / "ca.crt"), "--prometheus"]
        by_file = in_process([*asked, made.url, "--user", "ann", "--password-file", str(tmp_path / "password")])
        assert (by_file.exit_code, by_file.stderr) == (0, "")
        assert in_process([*asked, made.url.replace("//", "//ann:p%3Aw%20d@")]) == by_file
        monkeypatch.setenv("GPUPLAN_PROMETHEUS_PASSWORD", "p:w d")
        assert in_process([*asked, made.url, "--user", "ann"]) == by_file
        wrong = in_process([*asked, made.url.replace("//", "//ann:wr0ng@")])
    assert wrong.exit_code == 0, "the environment stands above the address"


def test_a_bill_from_which_something_may_be_missing_says_so_and_is_a_finding(spring_url: str) -> None:
    with gateway(upstream=spring_url, warnings=("no store of prod-us",)) as thanos:
        for output_format in ("table", "markdown", "csv", "json"):
            made = in_process(["cost", "--prometheus", thanos.url, *spring.ARGUMENTS, "--output-format", output_format])
            assert made.exit_code == 1
            assert (made.stdout + made.stderr).count("no store of prod-us") == 1
    assert len(json.loads(made.stdout)["cautions"]) == 1


def test_a_server_s_warnings_cannot_draw_on_a_terminal_nor_fill_it(spring_url: str) -> None:
    with gateway(
        upstream=spring_url, warnings=("\x1b[2J\nall is well", *(f"store {n} is away" for n in range(9)))
    ) as thanos:
        made = in_process(["cost", "--prometheus", thanos.url, *spring.ARGUMENTS])
    assert "\x1b" not in made.stdout
    assert "store 1 is away; and 7 more" in " ".join(made.stdout.split())
    assert "store 2" not in made.stdout


def test_csv_holds_what_json_does(spring_url: str) -> None:
    asked = ["cost", "--prometheus", spring_url, *spring.ARGUMENTS, "--by", "pool", "--output-format"]
    rows = list(csv.DictReader(io.StringIO(in_process([*asked, "csv"]).stdout)))
    bills = json.loads(in_process([*asked, "json"]).stdout)["bills"]
    expected = [
        (bill["currency"] or "", row["kind"], row["pool"], row["capacity"]["hours"], row["capacity"]["money"] or "")
        for bill in bills
        for row in bill["rows"]
    ]
    columns = ("currency", "kind", "pool", "capacity_hours", "capacity_money")
    assert [tuple(row[name] for name in columns) for row in rows] == expected


def test_what_has_not_happened_has_no_bill() -> None:
    tomorrow = datetime.datetime.now(tz=datetime.UTC).date() + datetime.timedelta(days=2)
    made = in_process(["cost", "--prometheus", "http://127.0.0.1:1", "--from", "2025-03-29", "--to", str(tomorrow)])
    assert made.exit_code == 2
    assert "is in the future" in made.stderr


def test_a_server_that_fails_in_the_middle_gives_no_half_of_a_bill(spring_url: str) -> None:
    said = {"status": "error", "errorType": "execution", "error": "query processing would load too many samples"}
    with gateway(upstream=spring_url) as made:
        made.faults = [(NO_FAULT, "", "")] * 20 + [(422, "application/json", json.dumps(said))]
        outcome = in_process(["cost", "--prometheus", made.url, *spring.ARGUMENTS])
    assert (outcome.exit_code, outcome.stdout) == (3, "")
    assert "HTTP 422: query processing would load too many samples" in outcome.stderr
    assert len(made.seen) == 21


def test_progress_is_a_line_now_and_then_where_nobody_looks(spring_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    made = in_process(["cost", "--prometheus", spring_url, *spring.ARGUMENTS])
    lines = made.stderr.splitlines()
    assert lines[0] == "reading 2025-03-29 (0 of 34)"
    assert lines[-1] == "reading 2025-03-30 (33 of 34)"


def test_progress_is_a_bar_on_a_terminal_that_leaves_no_trace(spring_url: str) -> None:
    control, terminal = pty.openpty()
    command = [sys.executable, "-m", "gpuplan", "cost", "--prometheus", spring_url, *spring.ARGUMENTS]
    environment = {**ENVIRONMENT, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal, env=environment, text=True)
    os.close(terminal)
    drawn = b""
    while True:
        try:
            part = os.read(control, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        drawn += part
    os.close(control)
    assert process.communicate()[0].startswith("Cost by team")
    assert process.returncode == 0
    text = drawn.decode()
    assert "reading 2025-03-" in text
    assert "/34" in text
    after = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.rsplit("\x1b[2K", 1)[-1])
    assert not after.strip()


def test_ctrl_c_ends_a_long_bill_without_a_trace(spring_url: str) -> None:
    with gateway(upstream=spring_url) as slow:
        slow.faults = [(SILENT, "", "")] * 200
        process = subprocess.Popen(
            [sys.executable, "-m", "gpuplan", "cost", "--prometheus", slow.url, *spring.ARGUMENTS],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**ENVIRONMENT, "PYTHONPATH": str(ROOT)},
            text=True,
        )
        end = time.monotonic() + 30
        while not slow.seen and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err.strip()) == (130, "", "")


def test_help_and_wrong_usage_import_no_client() -> None:
    code = "import sys, gpuplan.cli as c; c.run({0}); print('requests' in sys.modules, file=sys.stderr)"
    for arguments in (["cost", "--help"], ["cost", "--prometheus", "x", "--from", "2025-03-29", "--to", "2025-03-30"]):
        done = subprocess.run(
            [sys.executable, "-c", code.format(arguments)],
            env={**ENVIRONMENT, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.endswith("False\n")

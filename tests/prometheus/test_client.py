"""What the client makes of servers that want something, fail, leave out half, or are none."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpuplan.cluster.prometheus import Access, Answer, Curves, Problem, Prometheus
from tests.controlplane.certificates import write_certificates
from tests.prometheus import spring
from tests.prometheus.gateway import SILENT, Gateway, gateway

AT = datetime.datetime.fromtimestamp(spring.START + 60, tz=datetime.UTC)
QUERY = "gpuplan:pool_gpus_billed:sum"
SECRET = "s3cr3t-t0ken-0123456789"


def ask(url: str, query: str = QUERY, **how: Any) -> Answer | Problem:
    with Prometheus(Access(url=url, **{"tries": 1, "timeout": 20.0, **how})) as server:
        return server.instant(query, at=AT)


def answered(found: Answer | Problem) -> Answer:
    assert isinstance(found, Answer), found
    return found


def refused(found: Answer | Problem) -> Problem:
    assert isinstance(found, Problem), found
    return found


@pytest.fixture
def before(spring_url: str) -> Iterator[Gateway]:
    """A gateway before the real server, which asks for nothing yet."""
    with gateway(upstream=spring_url, prefix="/prometheus") as made:
        yield made


def test_numbers_come_as_the_server_wrote_them(spring_urls: tuple[str, ...]) -> None:
    for url in spring_urls:
        found = {one.labels["pool"]: one.value for one in answered(ask(url)).samples}
        assert found == {"h100-a": 16, "a100-lab": 2, "t4-shared": 4, "spare": 3}
        (scalar,) = answered(ask(url, "0.1 + 0.2")).samples
        assert (scalar.value, scalar.labels) == (Decimal("0.30000000000000004"), {})
        assert answered(ask(url, "vector(0) / 0")).samples[0].value.is_nan()


def test_a_curve_has_a_point_for_each_step(spring_urls: tuple[str, ...]) -> None:
    step = datetime.timedelta(minutes=5)
    for url in spring_urls:
        with Prometheus(Access(url=url)) as server:
            found = server.curves('gpuplan:pool_gpus_billed:sum{pool="h100-a"}', AT, AT + 2 * step, step)
        assert isinstance(found, Curves), found
        start = spring.START + 60
        (curve,) = found.curves
        assert [(int(at), int(value)) for at, value in curve.points] == [(start + 300 * n, 16) for n in range(3)]


def test_a_tenant_s_header_is_what_mimir_wants(before: Gateway) -> None:
    before.tenant = "acme"
    problem = refused(ask(before.url))
    assert (problem.kind, problem.status) == ("refused", 401)
    assert problem.summary.endswith("HTTP 401: no org id")
    assert answered(ask(before.url, headers={"X-Scope-OrgID": "acme"})).samples


@pytest.mark.parametrize(
    ("how", "sent"),
    [
        ({"token": SECRET}, f"Bearer {SECRET}"),
        ({"user": "ann", "password": "p:w"}, "Basic YW5uOnA6dw=="),
        ({"token_file": "token"}, "Bearer from-file"),
    ],
)
def test_who_asks_is_said_with_each_request(before: Gateway, how: dict[str, Any], sent: str, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file\n", encoding="utf-8")
    before.authorization = sent
    given = {key: tmp_path / value if key == "token_file" else value for key, value in how.items()}
    assert answered(ask(before.url, **given)).samples


def test_a_token_that_is_renewed_in_its_file_is_read_again(before: Gateway, tmp_path: Path) -> None:
    file = tmp_path / "token"
    with Prometheus(Access(url=before.url, token_file=file)) as server:
        for token in ("one", "two"):
            file.write_text(token, encoding="utf-8")
            answered(server.instant(QUERY, at=AT))
    assert [headers["Authorization"] for headers in before.seen] == ["Bearer one", "Bearer two"]


def test_no_secret_is_repeated_though_a_server_does(before: Gateway) -> None:
    before.authorization = "Bearer another"
    for access in (
        Access(url=before.url, tries=1, token=SECRET),
        Access(url=before.url, tries=1, user="ann", password=SECRET),
    ):
        with Prometheus(access) as server:
            problem = refused(server.instant(QUERY))
        assert problem.status == 403
        assert "***" in problem.summary
        assert SECRET not in repr(problem) + repr(access)


@pytest.mark.parametrize("extra", [{"warnings": ("store b is away",)}, {"more": {"isPartial": True}}])
def test_an_answer_with_something_left_out_is_partial(spring_url: str, extra: dict[str, Any]) -> None:
    assert not answered(ask(spring_url)).partial
    with gateway(upstream=spring_url, **extra) as made:
        found = answered(ask(made.url))
    assert found.partial
    assert found.warnings == extra.get("warnings", ())


def test_a_note_on_the_query_leaves_nothing_out(spring_urls: tuple[str, ...]) -> None:
    for url in spring_urls:  # Prometheus 3 notes that no counter ends so
        assert not answered(ask(url, "rate(gpuplan:pool_gpus_billed:sum[5m])")).partial


def test_a_server_that_is_busy_is_asked_again_but_a_wrong_query_is_not(before: Gateway) -> None:
    before.faults = [(503, "text/plain", "starting"), (429, "text/plain", "slowly")]
    assert answered(ask(before.url, tries=3)).samples
    before.seen.clear()
    problem = refused(ask(before.url, "sum(", tries=3))
    assert (problem.status, len(before.seen)) == (400, 1)
    assert "parse error" in problem.summary


def test_a_server_that_stays_busy_is_quoted(before: Gateway) -> None:
    before.faults = [(503, "text/plain", "still starting")] * 2
    problem = refused(ask(before.url, tries=2))
    assert problem.summary == f"{before.url} answered with HTTP 503: still starting"


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        ((200, "text/html", "<h1>Log in</h1>"), "nonsense", "answered with text/html"),
        ((200, "application/json", '{"hello": 1}'), "nonsense", "answered with application/json"),
        ((200, "application/json", '{"status": "success", "data": {"result": [1], "resultType": "vector"}}'),
         "nonsense", "samples cannot be read"),
        ((200, "application/json", '{"status": "success", "data": [] }'), "nonsense", "no answer of Prometheus' API"),
        ((200, "application/json", "{"), "nonsense", "no answer of Prometheus' API"),
        ((502, "text/html", "<h1>Bad gateway</h1>"), "refused", "answered with HTTP 502"),
        ((500, "text/plain", "\x1b[31mboom\n" + "x" * 2000), "refused", "HTTP 500: [31mboom xxx"),
        ((404, "text/plain", "404 page not found"), "refused", "HTTP 404: 404 page not found"),
        ((SILENT, "", ""), "timeout", "no answer within 1 s"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_a_problem_in_one_printable_line(
    before: Gateway, fault: tuple[int, str, str], kind: str, words: str
) -> None:
    before.faults = [fault]
    problem = refused(ask(before.url, timeout=1.0))
    assert problem.kind == kind
    assert words in problem.summary
    assert before.url in problem.summary
    assert problem.fix.endswith(".")
    assert problem.summary.isprintable()
    assert len(problem.summary) < 500


@pytest.mark.parametrize(
    ("url", "how", "words"),
    [
        ("http://127.0.0.1:1", {}, "nobody listens there"),
        ("http://nowhere.invalid:9090", {}, "its name cannot be resolved"),
        ("http://127.0.0.1:1", {"token_file": Path("/nowhere/token")}, "cannot read the file /nowhere/token"),
        ("http://127.0.0.1:1", {"token": "two\nlines"}, "a header or token holds a character"),
        ("http://127.0.0.1:1", {"headers": {"X-A": "two\nlines"}}, "a header or token holds a character"),
    ],
)
def test_a_server_that_is_not_reached_is_a_problem_that_says_why(url: str, how: dict[str, Any], words: str) -> None:
    problem = refused(ask(url, **how))
    assert problem.kind == "unreachable"
    assert words in problem.summary


def test_a_certificate_is_trusted_by_its_authority_alone(spring_url: str, tmp_path: Path) -> None:
    write_certificates(tmp_path)
    with gateway(tmp_path, upstream=spring_url) as made:
        problem = refused(ask(made.url))
        assert "TLS certificate is not to be trusted" in problem.summary
        assert "--ca-file" in problem.fix
        assert answered(ask(made.url, ca_file=tmp_path / "ca.crt")).samples

"""The reclaimer against the real API server, Kueue, kwok and Prometheus: who loses cards, when, and that nothing is done twice.

One fleet is played, and every test has a team of its own in it. The reclaimer runs as a program of its own, with the token of
the service account that we render, through a door that records and breaks.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import signal
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.emit import base
from gpuplan.model.reclaim_policy import ReclaimPolicy, policy, text
from tests.controlplane import workloads
from tests.controlplane.acceptance import stored_differences
from tests.controlplane.behaviour.scene import Scene
from tests.controlplane.behaviour.sight import Job
from tests.controlplane.behaviour.stage import Stage
from tests.controlplane.client import Client, Object, reference
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.fixtures import tool_or_skip
from tests.controlplane.reclaiming import (
    Card,
    Door,
    Reclaimer,
    events,
    granted,
    kubeconfig,
    remember,
    step,
    token_of,
)
from tests.scenarios.scraping import running

FLEET = """
nodePools: {h200: {tier: flat, nodes: 6, cardsPerNode: 8}}
taskPools:
  scratch: {kind: experiment, service: reclaimable, tiers: [flat], frameworks: [job]}
  pretrain: {kind: training, service: guaranteed, tiers: [flat], frameworks: [job]}
teams:
  story: {namespaces: [story], quotas: {scratch: {}, pretrain: {flat: {guaranteed: 4}}}}
  crash: {namespaces: [crash], quotas: {scratch: {}}}
  flaky: {namespaces: [flaky], quotas: {scratch: {}}}
  blind: {namespaces: [blind], quotas: {scratch: {}}}
governance: {reclaim: {mode: suspend, image: registry.acme.io/gpuplan:1, maxSharePercent: 100, notice: [event]}}
"""
CARD = {conventions.RESOURCE_GPU: 1}
MINUTE = datetime.timedelta(minutes=1)
GRACE, AFTER = 10 * MINUTE, 31 * MINUTE
KILLED = -signal.SIGKILL


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """The fleet with all its work, hours after it began."""

    plane: ControlPlane
    scene: Scene
    jobs: Mapping[str, Job]
    prometheus: str
    start: datetime.datetime
    folder: Path

    @property
    def client(self) -> Client:
        return self.plane.client

    def policy(self, team: str, **changed: Any) -> Path:
        """Write the rendered policy with one team alone."""
        fleet = self.scene.fleet
        made: ReclaimPolicy = policy(fleet, self.scene.cluster)
        mine = dataclasses.replace(made, teams={team: team}, **changed)
        path = self.folder / f"{team}.json"
        path.write_text(text(mine), encoding="utf-8")
        return path

    def door(self, **how: Any) -> Door:
        """Return a door to the API server."""
        return Door(target=self.plane.url, authority=self.plane.authority, **how)

    def reclaimer(self, team: str, server: str, prometheus: str = "", **changed: Any) -> Reclaimer:
        """Return the reclaimer of one team's work, with the rights that we render."""
        token = token_of(self.client, conventions.SYSTEM_NAMESPACE, conventions.RECLAIMER)
        return Reclaimer(
            policy=self.policy(team, **changed),
            kubeconfig=kubeconfig(self.folder, server, token),
            prometheus=prometheus or self.prometheus,
        )

    def versions(self, namespace: str) -> dict[str, str]:
        """Return the version of every object that the reclaimer may write to, and of its Events."""
        kinds = [("kueue.x-k8s.io/v1beta2", "Workload"), ("batch/v1", "Job"), ("apps/v1", "Deployment")]
        kinds += [("apps/v1", "StatefulSet"), ("v1", "Event")]
        return {
            f"{kind} {one['metadata']['name']}": one["metadata"]["resourceVersion"]
            for version, kind in kinds
            for one in self.client.list(version, kind, namespace=namespace)
        }

    def workload(self, job: Job) -> Object:
        found = workloads.workload_of(self.client, job.made)
        assert found is not None
        return found

    def is_suspended(self, job: Job) -> bool:
        return self.workload(job)["spec"].get("active") is False


def controller(kind: str, name: str, *, pods: int = 1) -> Object:
    """A Deployment or StatefulSet in the queue that Kueue leaves alone, since the fleet runs jobs."""
    labels = {"app": name, conventions.LABEL_QUEUE_NAME: "scratch", conventions.LABEL_PRIORITY_CLASS: "reclaimable"}
    template = {"metadata": {"labels": labels}, "spec": {**workloads.pod_spec(CARD), "restartPolicy": "Always"}}
    spec = {"replicas": pods, "selector": {"matchLabels": {"app": name}}, "template": template}
    metadata = {"name": name, "namespace": "story", "labels": labels}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}


def unqueued_job() -> Object:
    """A Job that Kueue does not see: only its pods name the queue."""
    made = workloads.job("story", "plain", devices=CARD)
    labels = {conventions.LABEL_QUEUE_NAME: "scratch", conventions.LABEL_PRIORITY_CLASS: "reclaimable"}
    template = {**made["spec"]["template"], "metadata": {"labels": labels}}
    # Without labels of its own a Job would take over those of its pods.
    metadata = {**made["metadata"], "labels": {"app": "plain"}}
    return {**made, "metadata": metadata, "spec": {**made["spec"], "template": template}}


CONTROLLERS = (controller("Deployment", "api", pods=2), controller("StatefulSet", "notebook"), unqueued_job())


@pytest.fixture(scope="module")
def play(_shared_busy_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Play]:
    plane = _shared_busy_control_plane
    plane.reset()
    scene = Stage(plane).play(FLEET)
    jobs = {
        "idle": scene.submit("story", "scratch"),
        "busy": scene.submit("story", "scratch"),
        "eight": scene.submit("story", "scratch", pods=8),
        "protected": scene.submit("story", "pretrain"),
        "exempt": exempt(scene, scene.job("story", "scratch")),
        **{team: scene.submit(team, "scratch") for team in ("crash", "flaky", "blind")},
    }
    for made in CONTROLLERS:
        plane.client.create(made)
    scene.runs(*jobs.values())
    cards = scene.until(lambda: held(plane.client, jobs), "all pods to run")
    start = datetime.datetime.now(tz=datetime.UTC).replace(microsecond=0) + datetime.timedelta(hours=3)
    folder = tmp_path_factory.mktemp("reclaim")
    remember(tool_or_skip("promtool"), folder / "prometheus", cards, start - 70 * MINUTE, start + 60 * MINUTE)
    with running(tool_or_skip("prometheus"), folder / "prometheus", {}) as prometheus:
        yield Play(plane=plane, scene=scene, jobs=jobs, prometheus=prometheus, start=start, folder=folder)
    plane.start_kueue()  # with the configuration that other tests expect


def exempt(scene: Scene, made: Object) -> Job:
    labels = {**made["metadata"]["labels"], conventions.LABEL_RECLAIM_EXEMPT: "true"}
    return Job(made=scene.client.create({**made, "metadata": {**made["metadata"], "labels": labels}}))


def held(client: Client, jobs: Mapping[str, Job]) -> list[Card]:
    """Return the cards of all pods once all run. One job works, and of the eight pods of another all but one."""
    pods = [
        pod for pod in client.list("v1", "Pod") if pod["metadata"]["namespace"] in ("story", "crash", "flaky", "blind")
    ]
    if len(pods) < 19 or any(pod["status"].get("phase") != "Running" for pod in pods):
        return []
    busy = [pod for pod in pods if owned(pod, jobs["busy"])] + [pod for pod in pods if owned(pod, jobs["eight"])][:7]
    return [Card(pod=pod, busy=0.8 if pod in busy else 0.0) for pod in pods]


def owned(pod: Object, job: Job) -> bool:
    return job.uid in {one["uid"] for one in pod["metadata"].get("ownerReferences", ())}


def test_idle_work_is_suspended_once_after_its_grace_with_just_the_rights_that_are_rendered_and_can_be_had_back(
    play: Play,
) -> None:
    door, client = play.door(), play.client
    idle = (str(play.jobs["idle"]), "api", "notebook", "plain")
    spared = tuple(str(play.jobs[name]) for name in ("busy", "eight", "protected", "exempt"))
    with door.open() as server:
        reclaimer = play.reclaimer("story", server)

        before = play.versions("story")
        dry = reclaimer.look(play.start)
        assert dry.of(*idle) == ["notice"] * 4
        assert dry.of(*spared) == ["active", "active", "protected", "exempt"]
        assert play.versions("story") == before
        assert door.written == []

        assert reclaimer.look(play.start, "--act").of(*idle) == ["notice"] * 4
        assert events(client, "story") == sorted((name, "GpuWorkIdle") for name in idle)
        told = play.versions("story")
        assert reclaimer.look(play.start + GRACE, "--act").of(*idle) == ["in_grace"] * 4
        assert play.versions("story") == told
        assert not play.is_suspended(play.jobs["idle"])

        assert reclaimer.look(play.start + AFTER, "--act").of(*idle) == ["idle"] * 4
        assert [reason for _, reason in events(client, "story")] == ["GpuWorkIdle", "GpuWorkReclaimed"] * 4
        play.scene.until(
            lambda: left(play, "story") == {"busy": 1, "eight": 8, "protected": 1, "exempt": 1}, "pods to go"
        )
        assert play.is_suspended(play.jobs["idle"])
        assert [client.get(one)["spec"].get("replicas", "none") for one in CONTROLLERS] == [0, 0, "none"]
        assert client.get(CONTROLLERS[2])["spec"]["suspend"] is True

        writes = len(door.written)
        after = reclaimer.look(play.start + AFTER + 5 * MINUTE, "--act")
        assert after.of(*spared) == ["active", "active", "protected", "exempt"]
        assert after.counts().total() == 4
        assert len(door.written) == writes == 4 * 5

    role = client.get(reference("rbac.authorization.k8s.io/v1", "Role", conventions.RECLAIMER, "story"))
    assert door.asked() == granted(role)
    assert all(status != 403 for _, _, status in door.seen)
    give_back(play)


def test_what_is_rendered_reads_back_as_it_was_written(play: Play) -> None:
    mine = [one.object for one in play.scene.manifests if one.area == base.RECLAIM.folder]
    assert {one["kind"] for one in mine} >= {"Deployment", "Role", "RoleBinding", "ServiceMonitor"}
    assert stored_differences(play.client, mine) == []


def test_as_deployed_it_looks_again_and_again_and_says_so_to_prometheus(play: Play) -> None:
    with play.door().open() as server:
        reclaimer = play.reclaimer("blind", server)
        command = [*reclaimer.command(play.start, "--every", "1s", "--listen", "127.0.0.1:0", "--act")]
        program = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            assert program.stderr
            port = program.stderr.readline().rpartition(" ")[2].strip()
            first = play.plane.wait_for(lambda: looked_at(port), 60, what="a first look")
            play.plane.wait_for(lambda: looked_at(port) > first, 60, what="another look")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
                metrics = answer.read().decode()
        finally:
            program.terminate()
            assert program.wait(timeout=30) == 0
    assert 'gpuplan_reclaim_candidates{verdict="young"} 1.0' in metrics  # by the machine's own clock
    assert 'gpuplan_reclaimed_workloads_total{namespace="blind",owner_kind="Job",reason="idle"} 0.0' in metrics
    assert "gpuplan_reclaim_circuit_open 0.0" in metrics


def looked_at(port: str) -> float:
    """Return when all servers last answered in full, 0 before that."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return float(next(line for line in lines if line.startswith("gpuplan_reclaim_last_success")).split()[1])


def left(play: Play, namespace: str) -> dict[str, int]:
    """Return how many pods of each job are there, and of what is no job."""
    pods = play.client.list("v1", "Pod", namespace=namespace)
    names = {job.uid: name for name, job in play.jobs.items()}
    found: dict[str, int] = {}
    for pod in pods:
        owner = names.get(pod["metadata"]["ownerReferences"][0]["uid"], "others")
        found[owner] = found.get(owner, 0) + 1
    return found


def give_back(play: Play) -> None:
    """Type the commands that the Events name, and wait until all that was suspended runs again."""
    found = play.client.list("v1", "Event", namespace="story")
    commands = [one["message"].rpartition(": ")[2] for one in found if one["reason"] == "GpuWorkReclaimed"]
    kubectl = tool_or_skip("kubectl")
    environment = {
        "PATH": f"{kubectl.parent}:{os.defpath}",
        "KUBECONFIG": str(play.plane.kubeconfig),
        "HOME": str(play.folder),
    }
    subprocess.run(["bash", "-ec", "\n".join(commands)], env=environment, check=True, capture_output=True, timeout=60)
    play.scene.runs(play.jobs["idle"])
    play.scene.until(lambda: left(play, "story").get("others") == 4, "the others to run again")


def test_a_kill_between_any_two_steps_loses_nothing_and_repeats_nothing(play: Play) -> None:
    """Every write is met by a kill before it reaches the server, and when it comes again by one after it was taken."""
    looks: list[subprocess.Popen[str]] = []
    kills: Counter[str] = Counter()

    def fault(method: str, path: str, body: Any) -> str:
        if method == "GET" or kills[step(method, path, body)] == 2:
            return ""
        kills[step(method, path, body)] += 1
        looks[-1].kill()
        return "drop-before" if kills[step(method, path, body)] == 1 else "drop-after"

    door = play.door(fault=fault)
    with door.open() as server:
        reclaimer = play.reclaimer("crash", server)
        for now in (*(play.start,) * 5, *(play.start + AFTER,) * 7):
            looks.append(reclaimer.start(now, "--act"))
            looks[-1].communicate(timeout=60)
    assert [one.returncode for one in looks] == [*(KILLED,) * 4, 0, *(KILLED,) * 6, 0]
    assert set(kills.values()) == {2}
    assert_taken_once(play, "crash", door)


def test_an_api_server_that_fails_again_and_again_loses_nothing_and_makes_nothing_happen_twice(play: Play) -> None:
    reads, writes = iter(range(10_000)), iter(range(10_000))

    def fault(method: str, _path: str, _body: Any) -> str:
        number, every = (next(reads), 19) if method == "GET" else (next(writes), 2)
        return Door.FAULTS[number // every % 3] if number % every == every - 1 else ""

    door = play.door(fault=fault)
    codes: list[int] = []
    with door.open() as server:
        reclaimer = play.reclaimer("flaky", server)
        for now in (play.start, play.start + AFTER):
            while codes.count(0) < (1 if now == play.start else 2):
                assert len(codes) < 30, codes
                codes.append(reclaimer.try_to_look(now, "--act"))
    assert set(codes) <= {0, 1, 3}
    assert len(codes) > 2
    assert_taken_once(play, "flaky", door)


def assert_taken_once(play: Play, team: str, door: Door) -> None:
    """The team's job was told once and suspended once, and nothing is left to do."""
    assert [reason for _, reason in events(play.client, team)] == ["GpuWorkIdle", "GpuWorkReclaimed"]
    assert len(door.written) == 5, door.seen
    assert play.is_suspended(play.jobs[team])
    annotations = play.workload(play.jobs[team])["metadata"]["annotations"]
    assert annotations[conventions.ANNOTATION_RECLAIM_REASON] == "idle"
    assert conventions.ANNOTATION_RECLAIM_UNTOLD not in annotations


def test_a_prometheus_that_is_away_incomplete_old_or_silent_makes_nothing_happen(play: Play) -> None:
    before = play.versions("blind")
    partial = Door(
        target=play.prometheus, change=lambda body: json.dumps({**json.loads(body), "warnings": ["store x"]}).encode()
    )
    api = play.door()
    with api.open() as server, partial.open() as half:
        away = play.reclaimer("blind", server, "http://127.0.0.1:1").look(play.start, "--act", code=3)
        part = play.reclaimer("blind", server, half).look(play.start, "--act", code=3)
        reclaimer = play.reclaimer("blind", server)
        silent = reclaimer.look(play.start + 180 * MINUTE, "--act", code=1)
        late = reclaimer.look(play.start + 64 * MINUTE, "--act", code=1)
        gap = reclaimer.look(play.start - 40 * MINUTE, "--act")
    name = str(play.jobs["blind"])
    assert [one.of(name) for one in (away, part)] == [["prometheus_unreachable"], ["prometheus_partial"]]
    assert [one.of(name) for one in (silent, late, gap)] == [["no_data"], ["stale"], ["not_covered"]]
    assert play.versions("blind") == before
    assert api.written == []


def test_a_notice_is_withdrawn_from_work_that_is_exempted_in_time(play: Play) -> None:
    job = play.jobs["blind"]
    with play.door().open() as server:
        reclaimer = play.reclaimer("blind", server)
        assert reclaimer.look(play.start, "--act").of(str(job)) == ["notice"]
        play.client.patch(job.made, {"metadata": {"labels": {conventions.LABEL_RECLAIM_EXEMPT: "true"}}})
        assert reclaimer.look(play.start + GRACE, "--act").of(str(job)) == ["exempt"]
        told = play.versions("blind")
        assert reclaimer.look(play.start + AFTER, "--act").of(str(job)) == ["exempt"]
    assert play.versions("blind") == told
    assert [reason for _, reason in events(play.client, "blind")] == ["GpuReclaimWithdrawn", "GpuWorkIdle"]
    notes = play.workload(job)["metadata"]["annotations"]
    assert conventions.ANNOTATION_RECLAIM_NOTICE_AT not in notes
    assert not play.is_suspended(job)


@pytest.mark.parametrize("version", ["prometheus", "prometheus-2.42"])
def test_both_prometheus_say_the_same_of_an_idle_job(play: Play, version: str, tmp_path: Path) -> None:
    (pod,) = workloads.pods_of(play.client, play.jobs["busy"].made)
    cards = [Card(pod=pod, busy=0.0)]
    remember(tool_or_skip("promtool"), tmp_path, cards, play.start - 70 * MINUTE, play.start)
    door = play.door()
    with door.open() as server, running(tool_or_skip(version), tmp_path, {}) as prometheus:
        found = play.reclaimer("story", server, prometheus).look(play.start)
    assert found.of(str(play.jobs["busy"])) == ["notice"]

"""Guard rails: as objects, as what selects namespaces, as Kueue's webhooks, and by what the server says to trials."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplan import conventions
from gpuplan.verify.checks import rails_enforced, rails_namespaces, rails_policies, rails_webhooks
from gpuplan.verify.observed import Tried
from gpuplan.verify.probes import Expected, planned
from gpuplan.verify.verdicts import Outcome, Verdict
from tests.unit.verify.policy_scenery import (
    Edit,
    Live,
    broken,
    drop,
    failures,
    fleet,
    live,
    named,
    one,
    outcomes,
    rails,
    scene,
)

POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
BAND, TOPOLOGY = conventions.POLICY_PRIORITY_BAND, conventions.POLICY_TOPOLOGY
OWN = {conventions.LABEL_MANAGED_BY: conventions.MANAGED_BY}
NOWHERE = {"matchExpressions": [{"key": conventions.LABEL_NAMESPACE_NAME, "operator": "In", "values": ["attic"]}]}

POLICIES: dict[str, tuple[Edit, str, str]] = {
    "policy gone": (lambda s: drop(s, POLICY, BAND), BAND, f"{POLICY} {BAND} is not there"),
    "binding gone": (lambda s: drop(s, BINDING, BAND), BAND, f"{BINDING} {BAND} is not there"),
    "fails open": (
        lambda s: one(s, POLICY, BAND)["spec"].update(failurePolicy="Ignore"),
        BAND,
        "spec.failurePolicy: Ignore, rendered Fail",
    ),
    "only audits": (
        lambda s: one(s, BINDING, BAND)["spec"].update(validationActions=["Audit"]),
        BAND,
        "spec.validationActions",
    ),
    "waits for a parameter": (
        lambda s: one(s, BINDING, BAND)["spec"].update(paramRef={"name": "p", "parameterNotFoundAction": "Allow"}),
        BAND,
        "spec.paramRef",
    ),
    "looks away": (
        lambda s: one(s, BINDING, BAND)["spec"].update(matchResources={"namespaceSelector": NOWHERE}),
        BAND,
        "spec.matchResources",
    ),
    "exempts somebody": (
        lambda s: one(s, POLICY, BAND)["spec"]["matchConditions"][0].update(expression="false"),
        BAND,
        "spec.matchConditions",
    ),
    "cannot be typed": (
        lambda s: one(s, POLICY, BAND).update(
            status={
                "typeChecking": {"expressionWarnings": [{"fieldRef": "spec.variables[0]", "warning": "no such key"}]}
            }
        ),
        BAND,
        f"{POLICY}: spec.variables[0]: no such key",
    ),
    "left over": (
        lambda s: s[POLICY].append(named(POLICY, "gpuplan-old", labels=OWN)),
        "gpuplan-old",
        "gpuplan-old is there, and nothing renders it",
    ),
}


@pytest.mark.parametrize(("edit", "rail", "expected"), POLICIES.values(), ids=POLICIES)
def test_a_rail_that_does_not_stand_as_rendered_fails(edit: Edit, rail: str, expected: str) -> None:
    (found,) = failures(rails_policies.check(broken(edit))).items()
    assert found[0] == f"guard rail {rail}"
    assert expected in " ".join(found[1])


def test_a_policy_of_others_is_theirs() -> None:
    assert failures(rails_policies.check(broken(lambda s: s[POLICY].append(named(POLICY, "require-labels"))))) == {}


def test_rails_that_are_off_are_not_asked_for() -> None:
    found = {verdict.subject for verdict in rails_policies.check(scene(live(rails("off")), text=rails("off")))}
    assert found == {f"guard rail {BAND}", f"guard rail {TOPOLOGY}"}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(lambda s: drop(s, "Namespace", "vision"), "Namespace vision is not there", id="gone"),
        pytest.param(
            lambda s: one(s, "Namespace", "vision")["metadata"]["labels"].pop("gpuplan.dev/team"),
            "Namespace vision: gpuplan.dev/team=, rendered vision",
            id="label gone",
        ),
        pytest.param(
            lambda s: one(s, POLICY, TOPOLOGY)["spec"]["matchConstraints"].update(namespaceSelector=NOWHERE),
            f"{POLICY} {TOPOLOGY} does not select namespace vision",
            id="not selected",
        ),
    ],
)
def test_a_namespace_without_its_labels_or_its_rails_fails(edit: Edit, expected: str) -> None:
    assert failures(rails_namespaces.check(broken(edit))) == {"Namespace vision": (expected,)}


def test_its_pod_security_is_another_check_s() -> None:
    level = {f"{conventions.POD_SECURITY}/enforce": "privileged"}
    found = rails_namespaces.check(broken(lambda s: one(s, "Namespace", "vision")["metadata"]["labels"].update(level)))
    assert failures(found) == {}


def hook(seen: Live, resource: str) -> dict[str, Any]:
    hooks = seen["MutatingWebhookConfiguration"][0]["webhooks"]
    found: dict[str, Any] = next(one for one in hooks if one["name"] == f"{resource}.kb.io")
    return found


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            lambda s: s["MutatingWebhookConfiguration"][0]["webhooks"].remove(hook(s, "jobs")),
            "no webhook of Kueue's looks at jobs.batch",
            id="gone",
        ),
        pytest.param(
            lambda s: hook(s, "pods").update(failurePolicy="Ignore"),
            "pods.kb.io for pods: failurePolicy Ignore, work passes while Kueue is away",
            id="fails open",
        ),
        pytest.param(
            lambda s: hook(s, "jobs")["rules"][0].update(operations=["DELETE"]),
            "no webhook of Kueue's looks at jobs.batch",
            id="not on create",
        ),
        pytest.param(
            lambda s: hook(s, "jobs").update(namespaceSelector=NOWHERE),
            "no webhook for jobs.batch looks into namespace vision",
            id="looks away",
        ),
    ],
)
def test_a_webhook_that_lets_work_pass_fails(edit: Edit, expected: str) -> None:
    found = failures(rails_webhooks.check(broken(edit)))
    assert found == {"Kueue's webhooks of kind MutatingWebhookConfiguration": (expected,)}


def test_webhooks_are_kueue_s_by_the_service_they_call_too() -> None:
    def edit(seen: Live) -> None:
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
            seen[kind][0]["metadata"]["name"] = "queueing"
            for one_hook in seen[kind][0]["webhooks"]:
                one_hook["clientConfig"] = {"service": {"name": "kueue-webhook-service"}}

    assert failures(rails_webhooks.check(broken(edit))) == {}


def test_a_cluster_without_kueue_has_no_webhooks() -> None:
    found = failures(rails_webhooks.check(broken(lambda s: s.update(MutatingWebhookConfiguration=[]))))
    assert len(found["Kueue's webhooks of kind MutatingWebhookConfiguration"]) == len(
        live()["MutatingWebhookConfiguration"][0]["webhooks"]
    )


# What the server says to trials.

BY_RAIL = {probe.rail: probe.name for probe in planned(fleet(), fleet().clusters[0])}
GOOD, BROKEN = BY_RAIL[""], BY_RAIL[BAND]
DENIED = f"POST /x: 422 jobs \"a\" is forbidden: {POLICY} '{BAND}' with binding '{BAND}' denied request: no"
OTHERS = "POST /x: 403 denied the request: policy of-others says no"
WARNED = (f"Validation failed for {POLICY} '{BAND}' with binding '{BAND}': no",)
NO_RIGHT = 'POST /x: 403 jobs.batch is forbidden: User "ada" cannot create resource "jobs"'


def said(name: str, answer: Tried, *, rail: str = "deny", user: str = "ada") -> Verdict:
    """Return the verdict on one trial by the server's answer to it."""
    text = rails(rail)
    seen = live(text)
    seen["SelfSubjectReview"] = [{"status": {"userInfo": {"username": user}}}]
    what = next(probe.what for probe in planned(fleet(text), fleet(text).clusters[0]) if probe.name == name)
    found = rails_enforced.check(scene(seen, text=text, tried={name: answer}))
    return next(verdict for verdict in found if verdict.subject == what)


def tried(status: int, message: str = "", warnings: tuple[str, ...] = ()) -> Tried:
    return Tried(status=status, message=message, warnings=warnings)


ANSWERS = {
    "broken, refused by its rail": (BROKEN, tried(422, DENIED), Outcome.PASS),
    "broken, taken": (BROKEN, tried(201), Outcome.FAIL),
    "broken, only warned of": (BROKEN, tried(201, "", WARNED), Outcome.FAIL),
    "broken, refused by others": (BROKEN, tried(403, OTHERS), Outcome.UNKNOWN),
    "broken, not allowed to ask": (BROKEN, tried(403, NO_RIGHT), Outcome.UNKNOWN),
    "broken, no answer": (BROKEN, tried(0, "timed out"), Outcome.UNKNOWN),
    "broken, too busy": (BROKEN, tried(429), Outcome.UNKNOWN),
    "good, taken": (GOOD, tried(201), Outcome.PASS),
    "good, refused by a rail": (GOOD, tried(422, DENIED), Outcome.FAIL),
    "good, warned of": (GOOD, tried(201, "", WARNED), Outcome.FAIL),
    "good, Kueue is away": (GOOD, tried(500, 'failed calling webhook "mjob.kb.io"'), Outcome.FAIL),
    "good, no such kind": (GOOD, tried(404, "the server serves no JobSet"), Outcome.FAIL),
    "good, refused by others": (GOOD, tried(403, OTHERS), Outcome.UNKNOWN),
    "good, not allowed to ask": (GOOD, tried(403, NO_RIGHT), Outcome.UNKNOWN),
}


@pytest.mark.parametrize(("name", "answer", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_counts_only_where_it_is_the_rail_s(name: str, answer: Tried, expected: Outcome) -> None:
    verdict = said(name, answer)
    assert verdict.outcome is expected
    assert bool(verdict.fix) == (expected is not Outcome.PASS)
    assert all(part in " ".join(verdict.evidence) for part in (str(answer.status), *answer.warnings))


FOREIGN = BY_RAIL[conventions.POLICY_PRODUCED_RESOURCES]
FOREIGN_WARNED = tuple(line.replace(BAND, conventions.POLICY_PRODUCED_RESOURCES) for line in WARNED)
FOREIGN_DENIED = DENIED.replace(BAND, conventions.POLICY_PRODUCED_RESOURCES)


@pytest.mark.parametrize(
    ("rail", "answer", "expected"),
    [
        ("warn", tried(201, "", FOREIGN_WARNED), Outcome.PASS),
        ("warn", tried(201), Outcome.FAIL),
        ("warn", tried(422, FOREIGN_DENIED), Outcome.FAIL),
        ("off", tried(201), Outcome.PASS),
        ("off", tried(201, "", FOREIGN_WARNED), Outcome.FAIL),
        ("off", tried(422, FOREIGN_DENIED), Outcome.FAIL),
    ],
)
def test_a_rail_does_what_the_fleet_asks_no_less_and_no_more(rail: str, answer: Tried, expected: Outcome) -> None:
    assert said(FOREIGN, answer, rail=rail).outcome is expected


def test_whom_a_rail_exempts_cannot_see_whether_it_acts_but_sees_good_work_taken() -> None:
    assert said(BROKEN, tried(201), user=conventions.KUEUE_USER).outcome is Outcome.UNKNOWN
    assert said(GOOD, tried(201), user=conventions.KUEUE_USER).outcome is Outcome.PASS


def test_evidence_is_the_same_each_time() -> None:
    named_by_server = (DENIED.replace('"a"', f'"gpuplan-verify-{end}"') for end in ("zzdns", "9hq47"))
    first, second = (said(BROKEN, tried(422, message)) for message in named_by_server)
    assert first == second


def test_what_was_not_tried_is_unknown() -> None:
    assert outcomes(rails_enforced.check(scene(live()))) == {Outcome.UNKNOWN}


def test_each_trial_expects_what_the_fleet_says() -> None:
    fleets = {word: fleet(rails(word)) for word in ("deny", "warn", "off")}
    expected = {
        word: {trial.expected for trial in planned(one_fleet, one_fleet.clusters[0])}
        for word, one_fleet in fleets.items()
    }
    always = {Expected.TAKEN, Expected.REFUSED}
    assert expected == {"deny": always, "warn": always | {Expected.WARNED}, "off": always | {Expected.SILENT}}

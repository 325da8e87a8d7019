"""Rights of accounts and of people: what is more than was rendered, and what is less."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplan.verify.checks import rights_accounts, rights_roles
from gpuplan.verify.granted import EVERYWHERE, URL, Granted, beyond, granted, in_words
from gpuplan.verify.verdicts import Outcome
from tests.unit.verify.policy_scenery import (
    Edit,
    Live,
    account,
    binding,
    broken,
    drop,
    failures,
    group,
    live,
    named,
    one,
    outcomes,
    role,
    scene,
)

GFD = "ServiceAccount gpu-system/gpu-feature-discovery"
EXPORTER = "ServiceAccount gpu-system/nvidia-dcgm-exporter"
CRB, RB = "ClusterRoleBinding", "RoleBinding"


def bound(subject: dict[str, str], to: str = "view", *, kind: str = CRB, namespace: str = "") -> Edit:
    return lambda seen: seen[kind].append(binding(kind, "extra", to, subject, namespace))


def aggregated(seen: Live) -> None:
    """Bind a role that has no rules of its own, but those of all roles with a label."""
    part = role("part", ["delete"], ["pods"])
    part["metadata"]["labels"] = {"into": "whole"}
    whole = {
        **named("ClusterRole", "whole"),
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"into": "whole"}}]},
    }
    seen["ClusterRole"] += [part, whole]
    bound(account("nvidia-dcgm-exporter"), "whole")(seen)


MORE: dict[str, tuple[Edit, str]] = {
    "by its name": (
        bound(account("nvidia-dcgm-exporter")),
        "ClusterRoleBinding extra (ClusterRole view, by its name) adds: get, list pods everywhere",
    ),
    "as a user": (
        bound({"kind": "User", "name": "system:serviceaccount:gpu-system:nvidia-dcgm-exporter"}),
        "ClusterRoleBinding extra (ClusterRole view, by its name) adds: get, list pods everywhere",
    ),
    "in one namespace": (
        bound(account("nvidia-dcgm-exporter"), kind=RB, namespace="vision"),
        "RoleBinding vision/extra (ClusterRole view, by its name) adds: get, list pods in vision",
    ),
    "by aggregation": (
        aggregated,
        "ClusterRoleBinding extra (ClusterRole whole, by its name) adds: delete pods everywhere",
    ),
    "by the group of its namespace": (
        bound(group("system:serviceaccounts:gpu-system")),
        "ClusterRoleBinding extra (ClusterRole view, group system:serviceaccounts:gpu-system) adds: get, list pods everywhere",
    ),
    "by the group of all accounts": (
        bound(group("system:serviceaccounts")),
        "ClusterRoleBinding extra (ClusterRole view, group system:serviceaccounts) adds: get, list pods everywhere",
    ),
    "as anybody": (
        bound(group("system:authenticated")),
        "ClusterRoleBinding extra (ClusterRole view, group system:authenticated) adds: get, list pods everywhere",
    ),
    "by what everybody's role has come to grant": (
        lambda seen: one(seen, "ClusterRole", "system:discovery").update(
            role("system:discovery", ["get"], ["secrets"])
        ),
        f"{CRB} system:discovery (ClusterRole system:discovery, group system:authenticated) adds: get secrets everywhere",
    ),
}


@pytest.mark.parametrize(("edit", "expected"), MORE.values(), ids=MORE)
def test_a_right_that_was_not_rendered_fails_with_its_binding(edit: Edit, expected: str) -> None:
    assert failures(rights_accounts.check(broken(edit)))[EXPORTER] == (expected,)


@pytest.mark.parametrize(
    "subject",
    [
        account("other"),
        account("nvidia-dcgm-exporter", "vision"),
        group("system:serviceaccounts:vision"),
        group("admins"),
    ],
    ids=str,
)
def test_what_others_may_do_is_theirs(subject: dict[str, str]) -> None:
    assert failures(rights_accounts.check(broken(bound(subject)))) == {}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(lambda s: drop(s, "ServiceAccount", "gpu-feature-discovery"), f"{GFD} is not there", id="account"),
        pytest.param(
            lambda s: drop(s, RB, "gpu-feature-discovery"),
            "missing: create, get, list, update, watch nodefeatures.nfd.k8s-sigs.io in gpu-system; get pods in gpu-system",
            id="binding",
        ),
        pytest.param(
            lambda s: one(s, "Role", "gpu-feature-discovery").update(rules=role("x", ["get"], ["pods"])["rules"]),
            "missing: create, get, list, update, watch nodefeatures.nfd.k8s-sigs.io in gpu-system",
            id="rules",
        ),
    ],
)
def test_a_right_that_is_missing_fails(edit: Edit, expected: str) -> None:
    assert failures(rights_accounts.check(broken(edit)))[GFD] == (expected,)


RIGHTS = st.builds(
    Granted,
    st.sampled_from([EVERYWHERE, "a", "b"]),
    st.sampled_from(["*", "get", "list"]),
    st.sampled_from(["*", "", "apps", URL]),
    st.sampled_from(["*", "pods", "pods/log", "*/log", "/apis/*", "/apis/x"]),
    st.sampled_from(["", "one"]),
)


@given(RIGHTS, RIGHTS, RIGHTS)
def test_covering_is_an_order(first: Granted, second: Granted, third: Granted) -> None:
    assert first.covers(first)
    assert not (first.covers(second) and second.covers(third)) or first.covers(third)


@given(st.lists(RIGHTS), st.lists(RIGHTS))
def test_what_is_beyond_is_just_what_nothing_allowed_covers(grants: list[Granted], allowed: list[Granted]) -> None:
    assert beyond(grants, grants) == ()
    more = set(beyond(grants, allowed))
    assert all((grant in more) != any(other.covers(grant) for other in allowed) for grant in grants)


@pytest.mark.parametrize(
    ("holder", "wanted", "expected"),
    [
        (("*", "*", "*", "*", ""), ("a", "get", "apps", "pods", "one"), True),
        (("*", "*", "*", "*", ""), ("*", "get", URL, "/metrics", ""), False),
        (("*", "get", URL, "/api/*", ""), ("*", "get", URL, "/api/v1", ""), True),
        (("a", "get", "", "pods", ""), ("*", "get", "", "pods", ""), False),
        (("a", "get", "", "pods", "one"), ("a", "get", "", "pods", ""), False),
        (("a", "get", "", "pods", ""), ("a", "get", "", "pods/log", ""), False),
        (("a", "get", "", "*/log", ""), ("a", "get", "", "pods/log", ""), True),
        (("a", "get", "", "pods", ""), ("a", "*", "", "pods", ""), False),
    ],
)
def test_a_right_covers_what_the_authorizer_would_allow(
    holder: tuple[str, ...], wanted: tuple[str, ...], expected: bool
) -> None:
    assert Granted(*holder).covers(Granted(*wanted)) is expected


def test_rules_become_single_rights_and_words() -> None:
    rules = [
        {"verbs": ["get", "list"], "apiGroups": ["", "apps"], "resources": ["pods"], "resourceNames": ["x"]},
        {"verbs": ["*"], "nonResourceURLs": ["*"]},
    ]
    found = tuple(granted(rules, "a"))
    assert len(found) == 5
    assert in_words(found) == "get, list pods/x, pods.apps/x in a; every verb on all URLs everywhere"


# Roles of people.


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(
            lambda s: one(s, "ClusterRole", "gpuplan-team-member")["rules"].append(
                role("x", ["get"], ["secrets"])["rules"][0]
            ),
            "secrets",
            id="grown",
        ),
        pytest.param(
            lambda s: drop(s, RB, "gpuplan-team-member"),
            "RoleBinding vision/gpuplan-team-member is not there",
            id="gone",
        ),
        pytest.param(
            lambda s: one(s, RB, "gpuplan-team-member")["subjects"].append(group("everybody")),
            "everybody",
            id="another's",
        ),
        pytest.param(
            bound(group("vision-engineers"), "gpuplan-team-member"),
            "ClusterRoleBinding extra gives it to Group vision-engineers everywhere, which nobody rendered",
            id="everywhere",
        ),
    ],
)
def test_a_team_s_role_that_is_not_as_rendered_fails(edit: Edit, expected: str) -> None:
    (found,) = failures(rights_roles.check(broken(edit))).items()
    assert found[0] == "ClusterRole gpuplan-team-member"
    assert expected in " ".join(found[1])


def test_roles_of_our_own_accounts_are_judged_by_their_rights() -> None:
    def edit(seen: Live) -> None:
        one(seen, "Role", "gpu-feature-discovery")["rules"] = []

    assert failures(rights_roles.check(broken(edit))) == {}


@pytest.mark.parametrize(
    "module",
    [rights_accounts, rights_roles],
    ids=lambda module: module.DOC.id,
)
def test_a_good_cluster_passes(module: Any) -> None:
    assert outcomes(module.check(scene(live()))) == {Outcome.PASS}

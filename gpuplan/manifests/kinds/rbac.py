"""rbac.authorization.k8s.io/v1: roles and bindings."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from gpuplan.manifests.kinds.meta import NamespacedMeta, ObjectMeta


class PolicyRule(TypedDict):
    """What may be done with which resources. The core group is `""`."""

    apiGroups: list[str]
    resources: list[str]
    resourceNames: NotRequired[list[str]]
    verbs: list[str]


class PathRule(TypedDict):
    """What may be done with paths of a server that asks the API server who may read them."""

    nonResourceURLs: list[str]
    verbs: list[str]


class Role(TypedDict):
    """Rights in one namespace."""

    apiVersion: Literal["rbac.authorization.k8s.io/v1"]
    kind: Literal["Role"]
    metadata: NamespacedMeta
    rules: list[PolicyRule]


class ClusterRole(TypedDict):
    """Rights in the whole cluster, or in each namespace where a RoleBinding names it."""

    apiVersion: Literal["rbac.authorization.k8s.io/v1"]
    kind: Literal["ClusterRole"]
    metadata: ObjectMeta
    rules: list[PolicyRule | PathRule]


class RoleRef(TypedDict):
    """The role that a binding gives; immutable."""

    apiGroup: Literal["rbac.authorization.k8s.io"]
    kind: Literal["Role", "ClusterRole"]
    name: str


class UserOrGroup(TypedDict):
    """A person or a group, as the identity provider names it."""

    apiGroup: Literal["rbac.authorization.k8s.io"]
    kind: Literal["User", "Group"]
    name: str


class ServiceAccountSubject(TypedDict):
    """A service account."""

    kind: Literal["ServiceAccount"]
    name: str
    namespace: str


Subject = UserOrGroup | ServiceAccountSubject


class RoleBinding(TypedDict):
    """A role given to subjects in one namespace."""

    apiVersion: Literal["rbac.authorization.k8s.io/v1"]
    kind: Literal["RoleBinding"]
    metadata: NamespacedMeta
    roleRef: RoleRef
    subjects: list[Subject]


class ClusterRoleBinding(TypedDict):
    """A cluster role given to subjects everywhere."""

    apiVersion: Literal["rbac.authorization.k8s.io/v1"]
    kind: Literal["ClusterRoleBinding"]
    metadata: ObjectMeta
    roleRef: RoleRef
    subjects: list[Subject]

"""Whether the API server still judges by admission policies that are gone: it looks at its policies once a second.

A policy that is made after the others have gone, and refuses one object of its own, tells: from the moment it is obeyed, so is
the absence of all that went before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.controlplane.acceptance import rejection
from tests.controlplane.client import Client, Object, reference

_NAME = "policy-probe"
_POLICIES = "admissionregistration.k8s.io/v1"
BINDINGS = "validatingadmissionpolicybindings"
"""Where they are kept in etcd."""


def any_binding(keys: Iterable[str]) -> bool:
    """Tell whether one of some keys in etcd is that of a policy's binding."""
    return any(f"/{BINDINGS}/" in key for key in keys)


def wait_until_forgotten(client: Client, wait_for: Callable[..., object]) -> None:
    """Wait until the server judges by no policy that was gone before."""
    policy, binding = _probe()
    client.create(policy)
    client.create(binding)
    wait_for(lambda: _refused(client), what="the server to look at its policies")
    client.delete(binding)
    client.delete(policy)


def _refused(client: Client) -> bool:
    found = rejection(client, reference("v1", "ConfigMap", _NAME, "default"), dry_run=True)
    return found is not None and f"'{_NAME}'" in found.message


def _probe() -> tuple[Object, Object]:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    return (
        {
            **reference(_POLICIES, "ValidatingAdmissionPolicy", _NAME),
            "spec": {
                "matchConstraints": {"resourceRules": [{**rule, "resourceNames": [_NAME]}]},
                "validations": [{"expression": "false"}],
            },
        },
        {
            **reference(_POLICIES, "ValidatingAdmissionPolicyBinding", _NAME),
            "spec": {"policyName": _NAME, "validationActions": ["Deny"]},
        },
    )

"""The accounts of the platform's agents may do what was rendered for them, and nothing else.

What every account has on any cluster (to ask who it is, which kinds there are, whether the server is well) is no finding. On
OpenShift, what the platform grants everybody who has logged in is left out: it is a list of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.manifests.set import Manifest
from gpuplan.verify.comparing import by_name, rendered
from gpuplan.verify.granted import EVERYWHERE, URL, Bound, Granted, Rbac, beyond, in_words
from gpuplan.verify.observed import Object
from gpuplan.verify.saying import Words, verdict
from gpuplan.verify.scene import Scene
from gpuplan.verify.verdicts import CheckDoc, Verdict

ROLES, BINDINGS = ("Role", "ClusterRole"), ("RoleBinding", "ClusterRoleBinding")
DOC = CheckDoc(
    id="rights/accounts",
    title="Every rendered service account has the rights that were rendered, and no other",
    reads=("ServiceAccount", *ROLES, *BINDINGS),
    why="An agent runs on every GPU node: whoever takes one over has its rights, and what it lacks stops it in silence.",
)
_ANYBODY = (
    ("create", "authorization.k8s.io", ("selfsubjectaccessreviews", "selfsubjectrulesreviews")),
    ("create", "authentication.k8s.io", ("selfsubjectreviews",)),
    ("get", URL, ("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", "/version", "/version/")),
    ("get", URL, ("/healthz", "/livez", "/readyz", "/.well-known/*", "/openid/*")),
    *((verb, "certificates.k8s.io", ("clustertrustbundles",)) for verb in ("get", "list", "watch")),
)
ANYBODYS = tuple(Granted(EVERYWHERE, verb, group, what, "") for verb, group, some in _ANYBODY for what in some)
"""What Kubernetes' own bindings grant every account (k8s.io/kubernetes, `bootstrappolicy`; tried on 1.36)."""
LOGGED_IN = "system:authenticated"
IMAGES = "system:image-puller"
"""Role that OpenShift binds to all accounts of a namespace."""


def check(scene: Scene) -> Iterator[Verdict]:
    """Yield a verdict for each rendered service account."""
    live = Rbac(
        roles=tuple(one for kind in ROLES for one in scene.seen(kind)),
        bindings=tuple(one for kind in BINDINGS for one in scene.seen(kind)),
    )
    written = tuple(one.object for kind in ROLES for one in rendered(scene, kind))
    wanted = Rbac(
        roles=(*_others(live.roles, written), *written),
        bindings=tuple(one.object for kind in BINDINGS for one in rendered(scene, kind)),
    )
    accounts = by_name(scene.seen("ServiceAccount"))
    for one in rendered(scene, "ServiceAccount"):
        yield _verdict(scene, one, wanted, live, there=(one.key.namespace, one.key.name) in accounts)


def _others(live: tuple[Object, ...], written: tuple[Object, ...]) -> tuple[Object, ...]:
    """Return the roles that are not ours: a rendered binding may name Kubernetes' own."""
    ours = by_name(written).keys()
    return tuple(one for key, one in by_name(live).items() if key not in ours)


def _verdict(scene: Scene, one: Manifest, wanted: Rbac, live: Rbac, *, there: bool) -> Verdict:
    namespace, name = one.key.namespace, one.key.name
    subject = f"ServiceAccount {namespace}/{name}"
    expected = [grant for bound in wanted.bound(namespace, name) for grant in bound.grants]
    held = [bound for bound in live.bound(namespace, name) if not _the_platforms(scene, bound)]
    extra = [
        f"{bound.source} adds: {in_words(more)}"
        for bound in held
        if (more := beyond(bound.grants, (*expected, *ANYBODYS)))
    ]
    missing = beyond(expected, (grant for bound in held for grant in bound.grants))
    words = Words(
        at=one.origin.span,
        good="it has what was rendered",
        bad="it may do more than was rendered" if extra else "it may do less than was rendered",
        fix="Take away the binding that is named, or narrow it; let Argo CD sync what is missing.",
    )
    wrong = [
        *([] if there else [f"{subject} is not there"]),
        *extra,
        *([f"missing: {in_words(missing)}"] if missing else []),
    ]
    return verdict(
        DOC, subject, words, wrong=wrong, right=[f"rights: {in_words(sorted(set(expected))) or 'none at all'}"]
    )


def _the_platforms(scene: Scene, bound: Bound) -> bool:
    """Tell whether OpenShift itself makes a binding, for everybody."""
    return scene.cluster.distribution == "openshift" and (
        bound.group == LOGGED_IN or (bound.role == IMAGES and bound.group != "")
    )

"""A MIG manager that does not run on the nodes' operating system.

From 0.13.1 on the MIG manager's tools are built against a newer C library than RHEL 8 and Rocky 8 have. With drivers that are
installed on the host, which is what `stack: manual` means, it runs those tools on the host and fails with a GLIBC error: no
card is cut. 0.12.3 works.

Source: NVIDIA/mig-parted #329.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan import versions
from gpuplan.diagnostics import Diagnostic, Related, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.model.sharing import SharingMode
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.cuts import mig_path
from gpuplan.rules.walk import point, pools

OLD_SYSTEMS = ("rhel8", "rocky8")
FIRST_BROKEN = versions.required("0.13.1")
COMPONENT = "migManager"

DOC = RuleDoc(
    id="mig/manager-on-old-os",
    severity=Severity.WARNING,
    summary="A MIG manager that is too new for the operating system",
    why="From 0.13.1 on its tools need a newer C library than RHEL 8 has: it fails with a GLIBC error and cuts no card.",
    fix="Set `components.migManager.version` to v0.12.3, or move the nodes to a newer system.",
    bad="clusters:\n  eu: {kubernetes: '1.36', os: rhel8}\n"
    "nodePools:\n  a: {cluster: eu, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
    good="clusters:\n  eu: {kubernetes: '1.36', os: rhel9}\n"
    "nodePools:\n  a: {cluster: eu, sharing: {mig: {profiles: {1g.5gb: 7}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each MIG pool on an old system with a new manager of ours."""
    for cluster, pool in pools(fleet):
        manager = cluster.components.get(COMPONENT)
        ours = pool.stack != "external" and pool.sharing.mode is SharingMode.MIG
        if ours and manager and cluster.os in OLD_SYSTEMS and manager.version >= FIRST_BROKEN:
            yield DOC.found(
                f"MIG manager {manager.version} does not run on `{cluster.os}`, so nobody cuts the cards of pool `{pool.name}`",
                at=fleet.places.key(mig_path(pool)),
                also=(Related("the operating system", point(fleet, (*cluster.path, "os"))),),
            )

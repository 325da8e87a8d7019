"""A value of Kueue's configuration that is of another type than Kueue decodes.

`enable: "true"` in quotes is a text; a duration without a unit is a number. Kueue decodes neither and stops at its start, as it
does at a framework or a strategy that it does not have.

Source: kubernetes-sigs/kueue, pkg/config and apis/config.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.catalog import keys
from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.scheduling.kueue_settings import configurations
from gpuplan.rulebook import RuleDoc
from gpuplan.rules.charts import running
from gpuplan.rules.misfits import misfits
from gpuplan.rules.strays import is_newer

DOC = RuleDoc(
    id="kueue/config-value-refused",
    severity=Severity.ERROR,
    summary="A value of Kueue's configuration that Kueue does not take",
    why="Kueue checks its configuration at its start, and the manager stops there.",
    fix="Write a value that the key takes.",
    bad="apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nmanageJobsWithoutQueueName: 'true'",
    good="apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nmanageJobsWithoutQueueName: true",
)


def judge(inventory: Inventory) -> Iterator[Diagnostic]:
    """Yield a finding for each value of a wrong type."""
    for config, api in configurations(inventory):
        known = keys.load(f"kueue-configuration-{api}")
        newer = is_newer(running(config, inventory, known), known)
        for one in misfits(config.root, known, converts=False):
            yield DOC.found(
                f"`{one.path}` is {one.written}, and Kueue wants {one.wanted}",
                at=one.view.span,
                fix=one.fix,
                severity=Severity.WARNING if newer else None,
            )

"""The cases: inputs as people have them, restated, and the findings that each must have."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from gpuplan import catalog
from gpuplan.diagnostics import Diagnostics
from gpuplan.inventory.assuming import assumed
from gpuplan.lint import lint

HERE = Path(__file__).parent
FLEET_FACTS = "fleet-facts"
"""Kind of an input that holds facts for a fleet and no manifests."""
COUNT_WHERE_LISTED = (
    "kueue/clusterqueue-without-localqueue",
    "kueue/companion-not-covered",
    "kueue/flavor-not-bound-to-nodes",
    "kueue/cohort-of-one",
)
"""Classes that hold for most inputs, which are cut down to the point; they count only where a case lists them."""
ELSEWHERE = ("kueue/unknown-flavor", "kueue/unknown-clusterqueue", "mig/unknown-config", "op/missing-configmap")
"""What is named and not in the set may be cut away too."""
WORDS = {"error": "error", "warn": "warning", "info": "info"}

Found = tuple[str, str, int]
"""(severity, class, line)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One input."""

    name: str
    area: str
    assume: str
    findings: tuple[Found, ...]

    @property
    def path(self) -> Path:
        return HERE / "inputs" / f"{self.name}.yaml"

    @property
    def is_manifests(self) -> bool:
        return FLEET_FACTS not in self.path.read_text(encoding="utf-8").partition("\n")[0]

    def linted(self) -> Diagnostics:
        """Lint it with the facts that it does not carry."""
        facts = assumed([word for word in self.assume.split(",") if word], catalog.load().cards)
        return lint([self.path], facts).findings

    def counted(self) -> Counter[Found]:
        """Return its findings that count."""
        listed = {rule for _, rule, _ in self.findings}
        infos = {one for one in self.findings if one[0] == "info"}
        found: Counter[Found] = Counter()
        for one in self.linted():
            made = (one.severity.value, one.rule, one.at.line)
            free = one.rule in (*COUNT_WHERE_LISTED, *ELSEWHERE) and one.rule not in listed
            if not free and (made[0] != "info" or made in infos):
                found[made] += 1
        return found


def _case(name: str, row: dict[str, object]) -> Case:
    findings = []
    for line in row["findings"]:  # type: ignore[attr-defined]  # a list of our own file
        severity, rule, number = line.split()
        findings.append((WORDS[severity], rule, int(number)))
    return Case(name, str(row["area"]), str(row.get("assume", "")), tuple(findings))


CASES = tuple(_case(*one) for one in yaml.safe_load((HERE / "expected.yaml").read_text(encoding="utf-8")).items())
BY_NAME = {case.name: case for case in CASES}

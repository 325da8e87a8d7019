"""What `gpuplan.compare` knows of fields is what a real API server says."""

from __future__ import annotations

import pytest

from gpuplan.compare import compare, path_text
from tests.controlplane import comparison_facts, server_defaults
from tests.controlplane.controlplane import ControlPlane
from tests.controlplane.make_schemas import CRDS, write_facts

pytestmark = pytest.mark.controlplane


def test_the_facts_in_the_package_are_those_of_the_server(
    control_plane: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    control_plane.load_crds(*CRDS)
    made = comparison_facts.text(comparison_facts.facts(control_plane.client))
    assert write_facts(made, check_only=True) == 0, capsys.readouterr().err
    assert write_facts(made + "\n", check_only=True) == 1


@pytest.mark.parametrize("probe", server_defaults.PROBES, ids=lambda probe: probe["kind"])
def test_what_the_server_fills_in_is_no_difference(control_plane: ControlPlane, probe: server_defaults.Object) -> None:
    answer = control_plane.client.apply(probe, dry_run=True)
    found = compare({**probe, "metadata": {}}, {**answer, "metadata": {}})
    fields = [[step for step in change.path if isinstance(step, str)] for change in found]
    left = [path for path in fields if not server_defaults.NOT_FIXED & set(path)]
    assert left == [], [path_text(change.path) for change in found]

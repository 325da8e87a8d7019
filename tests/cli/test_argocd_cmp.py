"""`gpuplan argocd-cmp`, as Argo CD's plugin calls it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from gpuplan import pipeline
from gpuplan.cli import COMMANDS
from gpuplan.cli.argocd_cmp import PARAMETERS, VARIABLE
from tests.build import TODAY
from tests.cli.transcript import ENVIRONMENT, in_new_process, in_process

EXAMPLE = Path("fleet").resolve()


@pytest.fixture(autouse=True)
def a_folder_with_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "fleet")
    monkeypatch.chdir(tmp_path)
    for name in (PARAMETERS, VARIABLE):
        monkeypatch.delenv(name, raising=False)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def test_stdout_holds_what_render_writes_for_the_cluster_and_nothing_else() -> None:
    outcome = in_process(["argocd-cmp", "--cluster", "trial-ie"])
    checked = pipeline.check(Path("fleet"), TODAY)
    assert checked.fleet is not None
    rendered, _ = pipeline.render(checked.fleet)
    assert outcome.exit_code == 0
    assert list(yaml.safe_load_all(outcome.stdout)) == [made.object for made in rendered.in_cluster("trial-ie")]


def test_a_process_of_its_own_keeps_the_log_out_of_the_objects() -> None:
    outcome = in_new_process(["argocd-cmp", "--cluster", "lab-us"])
    assert all(document["apiVersion"] for document in yaml.safe_load_all(outcome.stdout))
    assert outcome.stderr.splitlines()[-1].endswith("objects for cluster lab-us.")


@pytest.mark.parametrize(
    ("parameters", "variable", "expected"),
    [
        ('[{"name": "cluster", "string": "lab-us"}]', "", "lab-us"),
        ("", "trial-ie", "trial-ie"),
        ("[]", "trial-ie", "trial-ie"),
        ('[{"name": "cluster", "string": "lab-us"}]', "trial-ie", "lab-us"),
        ('[{"name": "other", "array": ["x"]}, {"name": "cluster", "string": "lab-us"}]', "", "lab-us"),
        ('[{"name": "cluster", "array": ["lab-us"]}]', "trial-ie", "trial-ie"),
    ],
)
def test_an_application_names_its_cluster_by_a_parameter_or_else_by_a_variable(
    parameters: str, variable: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PARAMETERS, parameters)
    monkeypatch.setenv(VARIABLE, variable)
    outcome = in_process(["argocd-cmp"])
    assert outcome.exit_code == 0
    assert outcome.stderr.splitlines()[-1].endswith(f"objects for cluster {expected}.")


@pytest.mark.parametrize(
    "parameters", ["{", "nonsense", '"cluster"', '[{"name": "cluster"}]', "[1]", '{"cluster": "lab-us"}']
)
def test_parameters_that_name_no_cluster_are_wrong_usage_and_give_no_output(
    parameters: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PARAMETERS, parameters)
    outcome = in_process(["argocd-cmp"])
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    assert "Error:" in outcome.stderr


def test_an_empty_output_is_refused_since_to_argo_cd_it_means_to_delete_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No fleet that `check` accepts has a cluster without objects, so the objects are taken away here."""
    monkeypatch.setattr("gpuplan.cli.argocd_cmp.render_cluster", lambda fleet, cluster: ((), ()))
    outcome = in_process(["argocd-cmp", "--cluster", "lab-us"])
    assert (outcome.exit_code, outcome.stdout) == (1, "")
    assert "would mean to delete all that it has" in outcome.stderr


def test_the_plugin_that_the_page_shows_calls_this_command_with_the_parameter_that_it_reads() -> None:
    blocks = re.findall(
        r"```yaml\n(.*?)```", (EXAMPLE.parent / "docs/argocd.md").read_text(encoding="utf-8"), re.DOTALL
    )
    (plugin,) = (yaml.safe_load(block) for block in blocks if "kind: ConfigManagementPlugin" in block)
    (source,) = (yaml.safe_load(block)["source"] for block in blocks if block.startswith("# in an Application"))
    program, name = plugin["spec"]["generate"]["command"]
    assert program == "gpuplan"
    assert name in COMMANDS
    assert source["plugin"]["name"] == plugin["metadata"]["name"]
    for parameters in (plugin["spec"]["parameters"]["static"], source["plugin"]["parameters"]):
        assert [one["name"] for one in parameters] == ["cluster"]

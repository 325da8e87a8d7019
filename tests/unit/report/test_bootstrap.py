"""The page by which a person hands a fleet over to Argo CD."""

from __future__ import annotations

import re
import subprocess

import pytest

from gpuplan.emit import argocd
from gpuplan.manifests.set import ManifestSet
from gpuplan.report import bootstrap
from tests.build import fleet

SPEC = """
apiVersion: gpuplan.dev/v1alpha1
metadata: {name: acme}
clusters:
  eu: {kubernetes: "1.36", destination: {server: "https://eu.example:6443"}}
  us: {kubernetes: "1.36", stack: operator, kueue: external%s}
cardTiers: {serve: {cards: [l40s]}}
nodePools:
  a: {cluster: eu, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}}
  b: {cluster: us, tier: serve, nodes: 1, cardsPerNode: 4, selectedBy: {nfd: {}}, driver: {branch: "580"}}
delivery: {argocd: {repoURL: https://git.example/gpu.git%s}}
"""
BY_US = SPEC % ("", "")
BY_OTHERS = (SPEC % (", gpuOperator: external", "")).replace("destination:", "kueue: external, destination:")
IN_STEPS = SPEC % ("", ", mode: applicationSet, rollout: [[us], [eu]]")


def page(text: str) -> str:
    (made,) = (one.text for one in bootstrap.texts(fleet(text)) if one.path.endswith("readme.md"))
    return made


@pytest.mark.parametrize("text", [BY_US, BY_OTHERS, IN_STEPS])
def test_every_command_on_the_page_is_one_for_a_shell(text: str) -> None:
    blocks = re.findall(r"^( *)```sh\n(.*?)^ *```", page(text), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 4
    for _, block in blocks:
        assert subprocess.run(["bash", "-n"], input=block, text=True, check=False).returncode == 0
        assert all(
            line.split()[0] in ("kubectl", "--patch", 'argocd.argoproj.io/deletion-approved="$(date')
            for line in block.splitlines()
        )


def test_what_argo_cd_installs_is_looked_for_first_and_what_others_install_is_left_alone() -> None:
    text = page(BY_US)
    assert "Does Kueue run in `eu` already?" in text
    assert "Does the GPU Operator run in `us` already?" in text
    assert "| `us` | Kueue | others; nothing here touches it |" in text
    assert "already?" not in page(BY_OTHERS)


@pytest.mark.parametrize("text", [BY_US, BY_OTHERS, IN_STEPS])
def test_every_name_that_the_fleet_takes_in_argo_cd_is_looked_for(text: str) -> None:
    lines = [line for line in page(text).splitlines() if ".argoproj.io " in line]
    taken = {word for line in lines for word in line.split()}
    applications = {"gpuplan-eu", "gpuplan-us", "root-acme"}
    assert {one.key.name for one in argocd.emit(fleet(text), ())} | applications | {"acme-root"} <= taken


def test_only_a_rollout_asks_for_progressive_syncs() -> None:
    assert "enable.progressive.syncs" in page(IN_STEPS)
    assert "enable.progressive.syncs" not in page(BY_US)


def test_no_line_is_left_blank_twice() -> None:
    assert "\n\n\n" not in page(BY_US)


def test_the_files_have_paths_that_the_output_takes_and_that_no_application_syncs() -> None:
    made = list(bootstrap.texts(fleet(BY_US)))
    assert ManifestSet.of((), made).texts
    assert all(one.path.startswith("bootstrap/") for one in made)

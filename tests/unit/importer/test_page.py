"""The page on import: the ClusterRole to copy allows exactly what a snapshot asks for, and the account's words are the page's."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from gpuplan.cluster.snapshot import KINDS
from gpuplan.importer.account import Fate

PAGE = Path("docs/import.md").read_text(encoding="utf-8")


def test_the_role_to_copy_allows_to_list_what_is_asked_for_and_nothing_more() -> None:
    (text,) = re.findall(r"```yaml\n(.+?)```", PAGE, flags=re.DOTALL)
    rules = yaml.safe_load(text)["rules"]
    allowed = {(group, name) for rule in rules for group in rule["apiGroups"] for name in rule["resources"]}
    assert allowed == {(kind.group, kind.plural) for kind in KINDS}
    assert all(rule["verbs"] == ["list"] for rule in rules)


def test_every_fate_is_explained() -> None:
    assert all(f"`{fate.value}`" in PAGE for fate in Fate)

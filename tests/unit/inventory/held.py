"""Inventories for tests, from pieces of YAML."""

from __future__ import annotations

from textwrap import dedent

import yaml

from gpuplan.diagnostics import Span
from gpuplan.inventory.assumed import Assumed
from gpuplan.inventory.inventory import Inventory
from gpuplan.inventory.items import Object
from gpuplan.inventory.places import OnePlace
from gpuplan.inventory.reading.embedded import configs_in


def held(text: str, assumed: Assumed | None = None) -> Inventory:
    """Return an inventory of the documents of a text; every place is the same."""
    documents = [one for one in yaml.safe_load_all(dedent(text)) if one]
    objects = tuple(Object(one, OnePlace(Span("-", 1, 1, 1, 1))) for one in documents)
    configs = tuple(config for one in objects for config in configs_in(one))
    return Inventory(objects=objects, configs=configs, assumed=assumed or Assumed())


def queue(name: str, quotas: str, cohort: str = "") -> str:
    """Return a ClusterQueue with one flavor `f` of `nvidia.com/gpu`: `8`, `8 borrow 4`, `8 lend 2`."""
    words = quotas.split()
    limits = dict(zip(words[1::2], words[2::2], strict=True))
    borrowing = f", borrowingLimit: {limits['borrow']}" if "borrow" in limits else ""
    lending = f", lendingLimit: {limits['lend']}" if "lend" in limits else ""
    numbers = f"{{name: nvidia.com/gpu, nominalQuota: {words[0]}{borrowing}{lending}}}"
    groups = f"[{{coveredResources: [nvidia.com/gpu], flavors: [{{name: f, resources: [{numbers}]}}]}}]"
    parent = f"cohortName: {cohort}, " if cohort else ""
    spec = f"{{{parent}namespaceSelector: {{}}, resourceGroups: {groups}}}"
    return f"---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {{name: {name}}}\nspec: {spec}\n"

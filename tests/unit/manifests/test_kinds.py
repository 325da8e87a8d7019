"""The kinds: each type is the one object that its name says."""

from __future__ import annotations

from typing import get_args, get_type_hints

import pytest

from gpuplan.manifests import kinds

NAMES = sorted(set(kinds.__all__) - {"KubeObject"})


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_fixes_its_own_name_and_one_api_version(name: str) -> None:
    hints = get_type_hints(getattr(kinds, name))
    assert get_args(hints["kind"]) == (name,)
    assert len(get_args(hints["apiVersion"])) == 1
    assert {"apiVersion", "kind", "metadata"} <= getattr(kinds, name).__required_keys__


def test_the_union_of_objects_holds_every_kind() -> None:
    assert {member.__name__ for member in get_args(kinds.KubeObject)} == set(NAMES)

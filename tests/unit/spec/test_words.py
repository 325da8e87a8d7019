"""Messages speak of forms of text in words, never in regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gpuplan.spec.fleet import FleetSpec
from gpuplan.spec.words import FORMS


def patterns(part: Any) -> Iterator[str]:
    """Yield every pattern of a JSON schema, of values and of keys."""
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            yield part["pattern"]
        yield from part.get("patternProperties", {})
        part = list(part.values())
    for below in part if isinstance(part, list) else ():
        yield from patterns(below)


def test_every_form_of_the_spec_has_words_and_no_words_are_left_over() -> None:
    assert set(patterns(FleetSpec.model_json_schema())) == set(FORMS)


@pytest.mark.parametrize(("pattern", "words"), FORMS.items())
def test_the_example_in_the_words_has_the_form(pattern: str, words: str) -> None:
    example = re.findall(r"`([^`]+)`", words)[-1]
    assert re.fullmatch(pattern, example)

"""What is said of a value that its reader does not take."""

from __future__ import annotations

import pytest

from gpuplan.catalog import keys
from gpuplan.inventory.items import Item
from gpuplan.rules.misfits import misfits


@pytest.mark.parametrize(
    ("data", "fix"),
    [
        ({"integrations": {"frameworks": ["batch/jobs"]}}, "Did you mean 'batch/job'?"),
        ({"integrations": {"frameworks": ["nothing-near"]}}, "Write `batch/job`, "),
        ({"manageJobsWithoutQueueName": "true"}, "Write "),
    ],
)
def test_the_word_that_was_meant_is_the_fix_and_all_of_them_where_none_is_near(data: object, fix: str) -> None:
    (found,) = misfits(Item.plain(data).root, keys.load("kueue-configuration-v1beta2"), converts=False)
    assert found.fix.startswith(fix)

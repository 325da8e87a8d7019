"""Quotas that are written to mean no limit: they are no capacity, and are left out where quotas are weighed."""

from __future__ import annotations

import re

from gpuplan.inventory.scheduling.queues import Quota
from gpuplan.quantity import Quantity

_NINES = re.compile(r"9{3,}(\.0*)?[A-Za-z]*")
_MANY = Quantity.of(10**6)
_MANY_BYTES = Quantity.of(10**18)
_BYTES = ("memory", "ephemeral-storage", "hugepages-", "storage")


def is_sentinel(quota: Quota) -> bool:
    """Tell whether a quota is of nothing but nines, or beyond what any cluster has."""
    return means_no_limit(quota.resource, quota.view["nominalQuota"].scalar(), quota.nominal)


def means_no_limit(resource: str, written: str, amount: Quantity | None) -> bool:
    """Tell whether an amount is written to mean no limit.

    >>> [means_no_limit("cpu", text, Quantity.parse(text)) for text in ("9999", "1680", "1000000", "99")]
    [True, False, True, False]
    """
    if amount is None:
        return False
    return bool(_NINES.fullmatch(written)) or amount >= (_MANY_BYTES if resource.startswith(_BYTES) else _MANY)

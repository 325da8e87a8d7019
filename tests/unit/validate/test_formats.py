"""Names, label keys and label values: what Kubernetes takes has no fault, and what it refuses has one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuplan.validate.formats import dns_label, dns_subdomain, label_key, label_value

TAKEN = {
    dns_label: ("a", "team-1", "x" * 63),
    dns_subdomain: ("a", "a.b-c.d1", "x" * 253),
    label_key: ("a", "A_1.x", "acme.io/Team", "nvidia.com/mig-1g.10gb.me", f"{'x' * 253}/{'y' * 63}"),
    label_value: ("", "a", "A_1.x", "x" * 63),
}
REFUSED = {
    dns_label: ("", "A", "a.b", "-a", "a-", "x" * 64, "a\n"),
    dns_subdomain: ("", "A", "a..b", "a.-b", "a_b", "x" * 254),
    label_key: ("", "a b", "a/b/c", "/a", "a/", "Acme.io/a", "a-", "x" * 64, "nvidia.com/mig-1g.10gb+me", "ä"),
    label_value: ("a b", "-a", "a-", "a/b", "x" * 64, "a\n"),
}


@pytest.mark.parametrize(("judge", "text"), [(judge, text) for judge, texts in TAKEN.items() for text in texts])
def test_what_kubernetes_takes_has_no_fault(judge: Callable[[str], str], text: str) -> None:
    assert judge(text) == ""


@pytest.mark.parametrize(("judge", "text"), [(judge, text) for judge, texts in REFUSED.items() for text in texts])
def test_what_kubernetes_refuses_has_a_fault_in_words(judge: Callable[[str], str], text: str) -> None:
    assert judge(text)

"""A receiver that is told by mail, and no mail server.

Alertmanager refuses a configuration with a receiver by mail unless it knows a server and an address that mail comes from.

Source: Alertmanager 0.34, checks of the configuration ("no global SMTP smarthost set").
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplan.diagnostics import Diagnostic, Severity
from gpuplan.model.fleet import Fleet
from gpuplan.rulebook import RuleDoc

DOC = RuleDoc(
    id="monitoring/mail-without-server",
    severity=Severity.ERROR,
    summary="A receiver that is told by mail, and no mail server",
    why="Alertmanager refuses the whole configuration, and goes on with the old one.",
    fix="Name the server: `monitoring: {alertmanager: {smtp: {server: …, from: …}}}`.",
    bad="monitoring: {alertmanager: {platform: desk, receivers: {desk: {email: {to: gpu@acme.io}}}}}",
    good='monitoring: {alertmanager: {smtp: {server: "mail.acme.io:587", from: alerts@acme.io}, platform: desk, '
    "receivers: {desk: {email: {to: gpu@acme.io}}}}}",
)


def check(fleet: Fleet) -> Iterator[Diagnostic]:
    """Yield a finding for each receiver by mail in a fleet without a server."""
    said = fleet.monitoring.alertmanager
    for one in said.receivers if said.mail is None else ():
        if one.kind == "email":
            yield DOC.found(
                f"Receiver `{one.name}` is told by mail, and `smtp` names no server", at=fleet.places.key(one.path)
            )

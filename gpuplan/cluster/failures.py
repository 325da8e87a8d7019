"""Why a Prometheus gave no answer, in words that say what to try. No text of an exception is shown: it may hold a secret."""

from __future__ import annotations

import errno

import requests
from urllib3.exceptions import MaxRetryError, NameResolutionError, ReadTimeoutError

from gpuplan.cluster.access import Access
from gpuplan.cluster.answers import Problem

LONGEST = 300
"""Characters of a server's message that are shown."""

FIXES = {
    400: "Check the prefix before /api/v1, and that it is a Prometheus, Thanos, Mimir or VictoriaMetrics.",
    401: "Give a token or a user, and the tenant's header where the server has tenants.",
    403: "Ask for the right to read these metrics, or give another token or tenant.",
    404: "Look for the prefix before /api/v1: Mimir has /prometheus, a VictoriaMetrics cluster /select/0/prometheus.",
    422: "Ask for a shorter time, or raise the server's limits on queries (--query.max-samples and the like).",
    429: "Wait a little, or raise the tenant's limits.",
    503: "See whether the server is starting or overloaded, and try again.",
}
"""What to try, by HTTP's status."""


def refused(access: Access, response: requests.Response, words: str) -> Problem:
    """Return the problem of an answer that is an error, with the server's own words."""
    status = response.status_code
    said = shown(access, words)
    fix = FIXES.get(status, "See the log of the server." if status >= 500 else "Check the address and who asks.")
    return Problem(
        kind="refused",
        summary=f"{access.url} answered with HTTP {status}" + (f": {said}" if said else ""),
        fix=fix,
        status=status,
    )


def nonsense(
    access: Access, response: requests.Response | None, why: str, api: str = "Prometheus' API"
) -> Problem | None:
    """Return the problem of an answer that is none of an API; None where nothing came at all."""
    if response is None:
        return None
    what = response.headers.get("Content-Type", "").partition(";")[0].strip() or "something without a type"
    elsewhere = response.url.partition("?")[0] if response.history else ""
    sent = f" after it sent us to {shown(access, elsewhere)}" if elsewhere else ""
    return Problem(
        kind="nonsense",
        summary=f"{access.url} answered with {shown(access, why or what)}{sent}, which is no answer of {api}",
        fix="Check the address and its prefix; where a login page stands before the server, give a token.",
    )


def unreadable(error: OSError) -> Problem:
    """Return the problem of a file that a request needs."""
    named = f"the file {error.filename}" if error.filename else "a file that the request needs"
    return Problem(
        kind="unreachable",
        summary=f"cannot read {named}: {error.strerror or 'it cannot be used'}",
        fix="Check the file of the token or of the certificate authority.",
    )


def unreachable(access: Access, error: Exception) -> Problem:
    """Return the problem of a request that got no answer."""
    if isinstance(error, requests.ReadTimeout) or isinstance(_reason(error), ReadTimeoutError):
        return Problem(
            kind="timeout",
            summary=f"{access.url} gave no answer within {access.timeout:g} s",
            fix="Ask for a shorter time, or allow more with --timeout.",
        )
    why, fix = _why(access, error)
    return Problem(kind="unreachable", summary=f"cannot reach {access.url}: {why}", fix=fix)


def _why(access: Access, error: Exception) -> tuple[str, str]:
    reason = _reason(error)
    if isinstance(error, requests.exceptions.SSLError):
        return "its TLS certificate is not to be trusted", "Give the certificate of its authority with --ca-file."
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy of the environment gives no connection", "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY."
    if isinstance(error, requests.ConnectTimeout):
        return (
            f"no connection within {access.connect_timeout:g} s",
            "Check the address, firewalls and network policies.",
        )
    if isinstance(error, requests.exceptions.InvalidHeader) or not isinstance(error, requests.RequestException):
        return "a header or token holds a character that HTTP cannot carry", "Check the file or variable it comes from."
    if isinstance(reason, NameResolutionError):
        return "its name cannot be resolved", "Check the name; names of a cluster's services exist only inside it."
    if _number(reason) == errno.ECONNREFUSED:
        return "nobody listens there", "Check the port, and whether `kubectl port-forward` still runs."
    return "the connection broke", "Check that the address speaks HTTP(S) as written, and try again."


def _reason(error: Exception) -> BaseException | None:
    inner = error.args[0] if error.args else None
    return inner.reason if isinstance(inner, MaxRetryError) else inner if isinstance(inner, BaseException) else None


def _number(reason: BaseException | None) -> int | None:
    """Return the system's error number behind a failed connection."""
    while reason is not None:
        if isinstance(reason, OSError) and reason.errno is not None:
            return reason.errno
        reason = reason.__cause__ or reason.__context__
    return None


def shown(access: Access, text: str) -> str:
    """Return a server's words as one printable line without secrets."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in access.without_secrets(text)).split())
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"

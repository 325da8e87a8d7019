"""How a server is reached: its address, who asks, and how long to wait. Secrets are kept out of every text."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

PASTED = ("/api/v1/query_range", "/api/v1/query", "/api/v1", "/graph", "/query", "/api/v2/status", "/api/v2")
"""Ends of addresses that people copy from a browser; the API is beside them, not below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An address and the right to ask it.

    `url` is what the paths of the API are put behind (`https://mimir.example/prometheus`). `headers` go with each request,
    such as the tenant's. At most one of token, `token_file` and user with password is used, in this order; the file is read for
    each request, since tokens of service accounts are renewed in place. `timeout` and `connect_timeout` are in seconds;
    `tries` counts the first request too.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str = field(default="", repr=False)
    token_file: Path | None = None
    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: Path | None = None
    timeout: float = 60.0
    connect_timeout: float = 10.0
    tries: int = 3

    def authorization(self) -> str:
        """Return the value of the Authorization header, empty where nobody is named. Raises OSError for an unreadable file."""
        token = self.token or (self.token_file.read_text(encoding="utf-8").strip() if self.token_file else "")
        if token:
            return f"Bearer {token}"
        if self.user or self.password:
            return "Basic " + base64.b64encode(f"{self.user}:{self.password}".encode()).decode("ascii")
        return ""

    def without_secrets(self, text: str) -> str:
        """Return a text in which no secret of this access can be read; a server may repeat what it was sent."""
        words = [self.token, self.password, *(value for value in self.headers.values() if len(value) >= 16)]
        with contextlib.suppress(OSError):
            words.append(self.authorization().partition(" ")[2])
        for word in words:
            text = text.replace(word, "***") if word else text
        return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address as somebody wrote it, taken apart: who asks is no part of `url`."""

    url: str
    user: str = ""
    password: str = field(default="", repr=False)


def address(text: str) -> Address | str:
    """Take an address apart, or return why it is none.

    >>> address("https://mimir.example/prometheus/")
    Address(url='https://mimir.example/prometheus', user='')
    >>> address("prometheus:9090")
    'it begins with neither http:// nor https://'
    """
    if not text.startswith(("http://", "https://")):
        return "it begins with neither http:// nor https://"
    if any(not sign.isprintable() or sign.isspace() for sign in text):
        return "it holds a blank or a control character"
    try:
        parts = urlsplit(text)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        return str(error)
    if not host:
        return "it names no host"
    path = parts.path.rstrip("/")
    for end in PASTED:
        path = path.removesuffix(end).rstrip("/")
    named = f"[{host}]" if ":" in host else host
    netloc = named if port is None else f"{named}:{port}"
    url = urlunsplit((parts.scheme, netloc, path, "", ""))
    return Address(url=url, user=unquote(parts.username or ""), password=unquote(parts.password or ""))

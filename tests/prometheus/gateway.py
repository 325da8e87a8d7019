"""A gateway before a real Prometheus, with the habits of others: Mimir's prefix and tenants, Thanos' warnings, faults."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SILENT = 0
"""Two seconds pass before the answer."""
NO_FAULT = -1


@dataclass(slots=True, kw_only=True)
class Gateway:
    """What stands before a server. `seen` holds the headers of each request; faults are used up one by one."""

    upstream: str
    prefix: str = ""
    tenant: str = ""
    """Needed as X-Scope-OrgID; Mimir answers 401 without it."""
    authorization: str = ""
    """Needed as the Authorization header."""
    warnings: tuple[str, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)
    """Keys that are added to each answer."""
    faults: list[tuple[int, str, str]] = field(default_factory=list)
    """(status, content type, body) of the next answers, SILENT or NO_FAULT in place of a status."""
    seen: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def answer(self, path: str, headers: dict[str, str]) -> tuple[int, str, bytes]:
        """Return status, content type and body of the answer to a request."""
        self.seen.append(headers)
        if self.faults:
            status, kind, body = self.faults.pop(0)
            if status > 0:
                return status, kind, body.encode()
            time.sleep(2 * (status == SILENT))
        if not path.startswith(self.prefix + "/api/v1/"):
            return 404, "text/plain", b"404 page not found"
        if self.tenant and headers.get("X-Scope-OrgID") != self.tenant:
            return 401, "text/plain", b"no org id"
        if self.authorization and headers.get("Authorization") != self.authorization:
            said = {"status": "error", "errorType": "unauthorized", "error": f"not {headers.get('Authorization')}"}
            return 403, "application/json", json.dumps(said).encode()
        status, payload = self._forwarded(path.removeprefix(self.prefix))
        extra = {**({"warnings": list(self.warnings)} if self.warnings else {}), **self.more}
        return status, "application/json", json.dumps(payload | extra).encode()

    def _forwarded(self, path: str) -> tuple[int, Any]:
        try:
            with urllib.request.urlopen(self.upstream + path, timeout=30) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


@contextlib.contextmanager
def gateway(certificates: Path | None = None, **how: Any) -> Iterator[Gateway]:
    """Serve a gateway on a free port of 127.0.0.1, by TLS where a folder with `tls.crt` and `tls.key` is given."""
    made = Gateway(**how)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = made.answer(self.path, dict(self.headers))
            with contextlib.suppress(BrokenPipeError):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificates:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "tls.crt", certificates / "tls.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    made.url = f"http{'s' if certificates else ''}://127.0.0.1:{server.server_port}{made.prefix}"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()

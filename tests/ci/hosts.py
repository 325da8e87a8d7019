"""A server that stands for GitHub's and GitLab's REST API: it keeps comments and labels, and answers as they do.

Only what one change needs is there; any other request is a 404, as it would be for a wrong address.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Answer = tuple[int, Any]
PAGE = 2
"""Comments of a page, so that every test with three of them turns one."""


@dataclass(kw_only=True)
class Change:
    """The state of one pull or merge request, and how its host behaves."""

    me: str | None = "gpuplan-bot"
    """Who the token belongs to; None for a GitHub job's own token, which may not ask."""
    comments: list[dict[str, Any]] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    known_labels: dict[str, str] = field(default_factory=dict)
    refused: dict[str, Answer] = field(default_factory=dict)
    """Answers by `METHOD what`, in place of the usual ones."""
    asked: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    pages: bool = False

    def says(self, author: str, body: str, *, is_bot: bool = False) -> None:
        """Add a comment."""
        number = 1 + max((comment["id"] for comment in self.comments), default=100)
        self.comments.append({"id": number, "author": author, "is_bot": is_bot, "body": body})

    @property
    def bodies(self) -> list[str]:
        """The comments' texts."""
        return [comment["body"] for comment in self.comments]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = json.loads(self.rfile.read(length) or b"{}")
        parts = urlsplit(self.path)
        change = self.server.change
        change.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN") or "")
        status, body, headers = 404, {"message": "Not Found"}, dict[str, str]()
        for method, pattern, answer in ROUTES:
            match = re.fullmatch(pattern, parts.path)
            if match and method == self.command:
                asked = f"{method} {answer.__name__}"
                change.asked.append(asked)
                status, body = change.refused.get(asked) or answer(change, sent, *map(unquote, match.groups()))
                break
        if status < 300 and isinstance(body, list) and change.pages:
            body, headers = self._page(body, int(parse_qs(parts.query).get("page", ["1"])[0]))
        self._send(status, body, headers)

    def _page(self, everything: list[Any], page: int) -> tuple[list[Any], dict[str, str]]:
        base = f"http://{self.headers['Host']}{urlsplit(self.path).path}"
        more = len(everything) > page * PAGE
        headers = {"Link": f'<{base}?page={page + 1}>; rel="next"'} if more else {}
        return everything[(page - 1) * PAGE : page * PAGE], headers

    def _send(self, status: int, body: Any, headers: dict[str, str]) -> None:
        data = b"" if status == 204 else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - http.server asks for these names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as above
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    change: Change


@contextlib.contextmanager
def serving(change: Change) -> Iterator[str]:
    """Serve a change; gives the server's address."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.change = change
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _author(change: Change) -> str:
    return change.me or "github-actions[bot]"


def _github_comment(comment: dict[str, Any]) -> dict[str, Any]:
    kind = "Bot" if comment["is_bot"] else "User"
    return {
        "id": comment["id"],
        "body": comment["body"],
        "user": {"login": comment["author"], "type": kind},
        "url": f"/repos/acme/fleet/issues/comments/{comment['id']}",
    }


def user(change: Change, _sent: Any) -> Answer:
    if change.me is None:
        return 403, {"message": "Resource not accessible by integration"}
    return 200, {"login": change.me, "id": 7, "url": "/user"}


def comments(change: Change, _sent: Any) -> Answer:
    return 200, [_github_comment(comment) for comment in change.comments]


def add_comment(change: Change, sent: Any) -> Answer:
    if len(sent["body"]) > 65_536:
        return 422, {"message": "Validation Failed"}
    change.says(_author(change), sent["body"], is_bot=change.me is None)
    return 201, _github_comment(change.comments[-1])


def edit_comment(change: Change, sent: Any, number: str) -> Answer:
    comment = next(one for one in change.comments if one["id"] == int(number))
    comment["body"] = sent["body"]
    return 200, _github_comment(comment)


def delete_comment(change: Change, _sent: Any, number: str) -> Answer:
    change.comments = [one for one in change.comments if one["id"] != int(number)]
    return 204, None


def labels(change: Change, _sent: Any) -> Answer:
    return 200, [{"name": name, "url": f"/repos/acme/fleet/labels/{name}"} for name in sorted(change.labels)]


def add_label(change: Change, sent: Any) -> Answer:
    named = sent["labels"] if isinstance(sent, dict) else sent
    change.labels |= set(named)
    for name in named:
        change.known_labels.setdefault(name, "ededed")
    return labels(change, sent)


def remove_label(change: Change, sent: Any, name: str) -> Answer:
    if name not in change.labels:
        return 404, {"message": "Label does not exist"}
    change.labels.remove(name)
    return labels(change, sent)


def make_label(change: Change, sent: Any) -> Answer:
    if sent["name"] in change.known_labels:
        return 422, {"message": "Validation Failed", "errors": [{"code": "already_exists"}]}
    change.known_labels[sent["name"]] = sent["color"]
    return 201, {"name": sent["name"], "color": sent["color"]}


def _note(change: Change, comment: dict[str, Any]) -> dict[str, Any]:
    mine = comment["author"] == change.me
    return {"id": comment["id"], "body": comment["body"], "author": {"id": 7 if mine else 8}, "system": False}


def notes(change: Change, _sent: Any) -> Answer:
    return 200, [_note(change, comment) for comment in change.comments]


def add_note(change: Change, sent: Any) -> Answer:
    change.says(_author(change), sent["body"])
    return 201, _note(change, change.comments[-1])


def edit_note(change: Change, sent: Any, number: str) -> Answer:
    edit_comment(change, sent, number)
    return 200, next(_note(change, one) for one in change.comments if one["id"] == int(number))


def merge_request(change: Change, _sent: Any) -> Answer:
    return 200, {"iid": 5, "labels": sorted(change.labels)}


def change_merge_request(change: Change, sent: Any) -> Answer:
    change.labels |= {name for name in sent.get("add_labels", "").split(",") if name}
    change.labels -= set(sent.get("remove_labels", "").split(","))
    return merge_request(change, sent)


_ISSUE = "/repos/acme/fleet/issues"
_REQUEST = "/api/v4/projects/42/merge_requests/5"
ROUTES: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    ("GET", "/user", user),
    ("GET", f"{_ISSUE}/5/comments", comments),
    ("POST", f"{_ISSUE}/5/comments", add_comment),
    ("PATCH", rf"{_ISSUE}/comments/(\d+)", edit_comment),
    ("DELETE", rf"{_ISSUE}/comments/(\d+)", delete_comment),
    ("GET", f"{_ISSUE}/5/labels", labels),
    ("POST", f"{_ISSUE}/5/labels", add_label),
    ("DELETE", f"{_ISSUE}/5/labels/(.+)", remove_label),
    ("POST", "/repos/acme/fleet/labels", make_label),
    ("GET", "/api/v4/user", user),
    ("GET", f"{_REQUEST}/notes", notes),
    ("POST", f"{_REQUEST}/notes", add_note),
    ("PUT", rf"{_REQUEST}/notes/(\d+)", edit_note),
    ("DELETE", rf"{_REQUEST}/notes/(\d+)", delete_comment),
    ("GET", _REQUEST, merge_request),
    ("PUT", _REQUEST, change_merge_request),
)

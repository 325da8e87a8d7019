"""The folder, ports and programs of one control plane."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.controlplane.certificates import write_certificates
from tests.controlplane.ports import PortLease
from tests.controlplane.processes import Guardian, Process
from tests.controlplane.toolchain import tool_path

TOKENS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "admin": ("gpuplan-test-admin", ("system:masters",)),
    # The users that these programs have in a cluster: admission policies know controllers by them.
    "kueue": (
        "system:serviceaccount:kueue-system:kueue-controller-manager",
        ("system:serviceaccounts", "system:serviceaccounts:kueue-system", "system:masters"),
    ),
    "kube-scheduler": ("system:kube-scheduler", ()),
    "kube-controller-manager": ("system:kube-controller-manager", ()),
    "kwok": ("kwok", ("system:masters",)),
}
"""Who may speak to the API server: the bearer token, the user's name and groups."""


class Workspace:
    """Owns what the programs of one control plane share, and gives it all back in `close`.

    The logs stay in `folder/logs` after a close; everything else in it is removed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.certificates = folder / "certificates"
        self._logs = folder / "logs"
        self._logs.mkdir(parents=True)
        self._ports = PortLease()
        self._guardian = Guardian(folder)
        write_certificates(self.certificates)
        self.write("tokens.csv", "".join(_token_line(token, *who) for token, who in TOKENS.items())).chmod(0o600)

    def port(self) -> int:
        """Lease a free port until `close`."""
        return self._ports.take()

    def write(self, name: str, text: str) -> Path:
        """Write a text file into the folder and return its path."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def spawn(
        self,
        tool: str,
        arguments: Sequence[str | Path],
        *,
        environment: Mapping[str, str] | None = None,
        program: str = "",
    ) -> Process:
        """Start a tool, building it first if the cache lacks it; its log is appended to over restarts.

        `program` is the name to call it by, of a binary that is several programs.
        """
        binary = self._named(tool_path(tool), program) if program else tool_path(tool)
        log = self._logs / f"{program or tool}.log"
        return Process([binary, *arguments], log=log, group=self._guardian.group, environment=environment)

    def _named(self, binary: Path, program: str) -> Path:
        link = self.folder / program
        if not link.is_symlink():
            link.symlink_to(binary)
        return link

    def write_kubeconfig(self, server: str, user: str, token: str = "") -> Path:
        """Write the kubeconfig of a user: one of `TOKENS`, whose name is the token, unless another is given."""
        cluster = {"server": server, "certificate-authority": str(self.certificates / "ca.crt")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": user, "user": {"token": token or user}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}],
            "current-context": "test",
        }
        path = self.write(f"{user}.kubeconfig", json.dumps(config, indent=1))
        path.chmod(0o600)
        return path

    def close(self) -> None:
        """End what still runs, give the ports back, and leave nothing but the logs."""
        self._guardian.close()
        self._ports.close()
        for entry in self.folder.iterdir():
            if entry != self._logs:
                shutil.rmtree(entry) if entry.is_dir() else _remove(entry)


def _token_line(token: str, user: str, groups: tuple[str, ...]) -> str:
    return f'{token},{user},{token},"{",".join(groups)}"\n'


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()

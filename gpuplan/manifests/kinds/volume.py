"""The volumes of a pod, as core/v1 names them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class HostPathVolumeSource(TypedDict):
    """A path of the node; `type: ""` means no check and is the server's default."""

    path: str
    type: Literal["", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"]


class KeyToPath(TypedDict):
    """A key of a ConfigMap or Secret as a file."""

    key: str
    path: str
    mode: NotRequired[int]


class ConfigMapVolumeSource(TypedDict):
    """A ConfigMap as files; `defaultMode` 420 is 0644."""

    name: str
    defaultMode: int
    items: NotRequired[list[KeyToPath]]
    optional: NotRequired[bool]


class SecretVolumeSource(TypedDict):
    """A Secret as files."""

    secretName: str
    defaultMode: int
    items: NotRequired[list[KeyToPath]]
    optional: NotRequired[bool]


class EmptyDirVolumeSource(TypedDict):
    """A folder that lives as long as the pod; `{}` on disk."""

    medium: NotRequired[Literal["Memory"]]
    sizeLimit: NotRequired[str]


class Volume(TypedDict):
    """A volume; exactly one source."""

    name: str
    hostPath: NotRequired[HostPathVolumeSource]
    configMap: NotRequired[ConfigMapVolumeSource]
    secret: NotRequired[SecretVolumeSource]
    emptyDir: NotRequired[EmptyDirVolumeSource]

"""Make the catalogue's table of time zones from the tzdata package: `python -m tests.timezones`.

The package rather than the system's files, so that the table is the same on every machine. Each rule is compared with the
zone's own list of switches over ten years; where they disagree, the row says so.
"""

from __future__ import annotations

import datetime as dt
import importlib.resources
import io
import re
import struct
import zoneinfo
from collections import defaultdict
from pathlib import Path

import tzdata  # type: ignore[import-untyped]  # it has no stubs

from gpuplan.manifests.write import yaml_text

FILE = Path(__file__).parents[1] / "gpuplan" / "catalog" / "data" / "timezones.yaml"
FROM, UNTIL = dt.datetime(2026, 12, 1, tzinfo=dt.UTC), dt.datetime(2037, 1, 1, tzinfo=dt.UTC)
STEP = dt.timedelta(hours=6)
NO_ZONE = "Factory"
"""A placeholder of the database for machines whose zone nobody has set."""
HEAD = """\
# Time zones and the rules by which their clocks change, from the IANA database: made by `python -m tests.timezones`.
# `regular: false`: its rule does not tell all the switches of a zone from 2026-12-01 to 2036.
"""


def names() -> list[str]:
    """Return the zones of the database, sorted."""
    text = (importlib.resources.files("tzdata") / "zones").read_text(encoding="utf-8")
    return sorted(set(text.split()) - {NO_ZONE})


def content(name: str) -> bytes:
    """Return the compiled file of a zone (RFC 8536)."""
    return importlib.resources.files("tzdata.zoneinfo").joinpath(*name.split("/")).read_bytes()


def rule(name: str) -> str:
    """Return the last line of a zone's file: the rule for all times after its last listed switch."""
    return content(name).rsplit(b"\n", 2)[1].decode("ascii")


def zone(name: str) -> zoneinfo.ZoneInfo:
    """Return a zone as Python reads it from the package."""
    return zoneinfo.ZoneInfo.from_file(io.BytesIO(content(name)), key=name)


def by_rule(text: str) -> zoneinfo.ZoneInfo:
    """Return a zone that has a rule and no listed switch."""
    header = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4)
    body = struct.pack(">lbb", 0, 0, 0) + b"GMT\0"
    return zoneinfo.ZoneInfo.from_file(io.BytesIO((header + body) * 2 + b"\n" + text.encode("ascii") + b"\n"))


def regular(name: str) -> bool:
    """Tell whether a zone's rule says all that its file does, from the first day of the table to the last."""
    listed, computed, at = zone(name), by_rule(rule(name)), FROM
    while at < UNTIL:
        if listed.utcoffset(at.astimezone(listed)) != computed.utcoffset(at.astimezone(computed)):
            return False
        at += STEP
    return True


def natural(name: str) -> list[str | int]:
    """Return a key by which `GMT+9` comes before `GMT+10`, as in all tables of the catalogue."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def table() -> str:
    """Return the text of the catalogue's table."""
    found: dict[tuple[str, bool], list[str]] = defaultdict(list)
    same: dict[bytes, bool] = {}
    for name in names():
        data = content(name)
        if data not in same:
            same[data] = regular(name)
        found[rule(name), same[data]].append(name)
    rows = {
        zones[0]: {"rule": text, **({} if fits else {"regular": False}), "source": "iana", "zones": " ".join(zones)}
        for (text, fits), zones in sorted(found.items(), key=lambda item: natural(item[1][0]))
    }
    url = f"https://data.iana.org/time-zones/releases/tzdata{tzdata.IANA_VERSION}.tar.gz"
    return HEAD + yaml_text({"sources": {"iana": {"url": url, "checked": "2026-11-30"}}, "rules": rows})


if __name__ == "__main__":
    FILE.write_text(table(), encoding="utf-8")

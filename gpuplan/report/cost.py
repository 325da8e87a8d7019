"""`gpuplan cost`: a bill as a table for people, as Markdown for a page, and as CSV and JSON for programs.

Every amount is an exact decimal with two places, in all formats the same; CSV and JSON write it as text without separators.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from gpuplan.cost.asking import What
from gpuplan.cost.bill import Bill
from gpuplan.cost.ledger import Amount, Covered
from gpuplan.cost.period import Span
from gpuplan.cost.views import By, Row, View, view
from gpuplan.report.console import table, title
from gpuplan.report.terminal import printable

FORMAT_VERSION = "1.0"
FORMATS = ("table", "csv", "json", "markdown")
COLUMNS = {"team": "TEAM", "costCenter": "COST CENTRE", "teams": "TEAMS", "pool": "POOL", "cluster": "CLUSTER"}
WHATS = {
    What.CAPACITY: "ALL CARDS",
    What.ALLOCATED: "ALLOCATED",
    What.USED: "USED",
    What.IDLE: "IDLE",
    What.RESERVED: "RESERVED",
    What.BORROWED: "BORROWED",
    What.NO_TEAM: "NO TEAM",
    What.UNALLOCATED: "UNALLOCATED",
}
KINDS = {"noTeam": "(no team)", "unallocated": "(unallocated)", "total": "(total)"}
NOTHING = "-"
GAPS = 5
"""Days with missing samples that are named."""
WARNINGS = 3
"""Warnings of a server that are quoted."""
LONGEST = 300
"""Characters of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A bill with what it was asked for."""

    bill: Bill
    span: Span
    time_zone: str
    by: By
    server: str
    warnings: tuple[str, ...] = ()
    """The server's own words: something is missing."""

    @property
    def views(self) -> tuple[View, ...]:
        """One view for each currency."""
        return tuple(view(self.bill, self.by, currency) for currency in self.bill.currencies)

    @property
    def cautions(self) -> tuple[str, ...]:
        """What makes the bill wrong, as sentences; none where it is right."""
        return tuple(_cautions(self))


def overview(report: Report) -> Iterator[RenderableType]:
    """Yield the bill for people."""
    yield title(_heading(report))
    for made in report.views:
        yield Text("")
        yield Text(_unit(made))
        yield _drawn(_cells(made))
    yield Text("")
    yield from (Text(line) for line in _notes(report))


def markdown(report: Report) -> str:
    """Return the bill as a page."""
    lines = [f"## {_heading(report)}"]
    for made in report.views:
        cells = _cells(made)
        ruler = ["---"] * cells.names + ["---:"] * (len(cells.header) - cells.names)
        lines += ["", f"{_unit(made)}:", "", *map(_line, (cells.header, ruler, *cells.rows))]
    lines += ["", *(f"- {line}" for line in _notes(report))]
    return "\n".join(lines) + "\n"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _heading(report: Report) -> str:
    start, end = (time.strftime("%Y-%m-%d %H:%M") for time in (report.span.start, report.span.end))
    return f"Cost by {COLUMNS[report.by].lower()} from {start} to before {end} ({report.time_zone})"


def _unit(made: View) -> str:
    """Return what the numbers of a view are."""
    return f"Hours of a card, and {made.currency}" if made.currency else "Hours of a card; these have no price"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """A view as text: its first `names` columns are names, the others numbers."""

    names: int
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def _cells(made: View) -> _Cells:
    """Return a view's text: names, hours of what counts, and money; where there is no price, hours of all."""
    shown = 1 if made.columns[-1] == "cluster" and not any(row.names[-1] for row in made.rows) else len(made.columns)
    header = [COLUMNS[name] for name in made.columns[:shown]]
    header += [*(["HOURS"] if made.currency else []), *(WHATS[what] for what in made.whats)]
    counted = What.CAPACITY if made.by == "pool" else What.ALLOCATED
    rows = []
    for row in made.rows:
        hours = [f"{row.amounts[counted].hours:,}"] if made.currency else []
        amounts = (_number(row.amounts.get(what), made.currency) for what in made.whats)
        rows.append((*_names(row)[:shown], *hours, *amounts))
    return _Cells(names=shown, header=tuple(header), rows=tuple(rows))


def _number(amount: Amount | None, currency: str) -> str:
    """Return an amount in the view's unit."""
    return NOTHING if amount is None else f"{amount.money if currency else amount.hours:,}"


def _names(row: Row) -> list[str]:
    """Return the names of a row; a kind of row that nobody owns has its own, and no name is a dash."""
    if row.kind != "owner":
        return [KINDS[row.kind], *("" for _ in row.names[1:])]
    return [printable(name) or NOTHING for name in row.names]


def _drawn(cells: _Cells) -> RenderableType:
    """Return a view as a table. A number is never broken in two, however narrow a terminal is: names are."""
    made = table(cells.header, cells.rows, right=frozenset(range(cells.names, len(cells.header))))
    for column in made.columns[cells.names :]:
        column.no_wrap = True
    return made


def _notes(report: Report) -> Iterator[str]:
    """Yield the sums that must agree, how much of the time was seen, and what is wrong."""
    for made in report.views:
        if made.currency:
            yield _sum(report, made)
    for cluster, days in _by_cluster(report.bill.covered):
        yield _coverage(cluster, list(days))
    yield from report.cautions


def _parts(report: Report, made: View) -> tuple[Decimal, Decimal, Decimal, Decimal]:
    """Return the money of teams, no team, nobody, and all cards."""

    def of(what: What) -> Decimal:
        amounts = report.bill.amounts.items()
        return sum(
            (amount.money for key, amount in amounts if key.what is what and key.currency == made.currency),
            start=Decimal("0.00"),
        )

    return of(What.ALLOCATED), of(What.NO_TEAM), of(What.UNALLOCATED), of(What.CAPACITY)


def _sum(report: Report, made: View) -> str:
    teams, no_team, nobody, capacity = _parts(report, made)
    parts = teams + no_team + nobody
    said = f"teams {teams:,} + no team {no_team:,} + unallocated {nobody:,} = {parts:,} {made.currency}"
    return f"Check: {said}; all cards {capacity:,} {made.currency}" + (": adds up" if parts == capacity else "")


def _coverage(cluster: str, days: Sequence[Covered]) -> str:
    seen = sum(min(day.samples, day.minutes) for day in days)
    minutes = sum(day.minutes for day in days)
    percent = (Decimal(100 * seen) / minutes).quantize(Decimal("0.01"), rounding=ROUND_FLOOR) if minutes else 0
    of = f" of {printable(cluster)}" if cluster else ""
    line = f"Seen{of}: {seen:,} of {minutes:,} minutes ({percent} %)"
    missing = [(day.day, day.minutes - day.samples) for day in days if day.samples < day.minutes]
    if not missing:
        return line
    named = ", ".join(f"{day} ({number} min)" for day, number in missing[:GAPS])
    more = f" and {len(missing) - GAPS} more days" if len(missing) > GAPS else ""
    return f"{line}; not billed, since nobody looked: {named}{more}"


def _cautions(report: Report) -> Iterator[str]:
    if report.warnings:
        more = len(report.warnings) - WARNINGS
        said = "; ".join(printable(warning)[:LONGEST] for warning in report.warnings[:WARNINGS])
        yield f"The bill may be too low. {report.server} warned: {said}" + (f"; and {more} more" if more > 0 else "")
    for check in report.bill.checks:
        if check.difference:
            off, where = check.difference, f"pool {check.pool}" + (f" of {check.cluster}" if check.cluster else "")
            said = f"{abs(off):,.2f} {check.currency} {'more' if off > 0 else 'less'} than"
            yield f"The parts of {printable(where)} are {said} the price of its cards: were its rules changed in between?"
    dense = sorted({day.cluster for day in report.bill.covered if day.samples > day.minutes + 1})
    if dense:
        where = f" of {', '.join(map(printable, dense))}" if any(dense) else ""
        yield (
            f"There is more than one sample a minute{where}, so that the bill is too high:"
            " the rules of cost need `interval: 60s`."
        )
    for name in report.bill.unreadable:
        yield f"{name} has values that are no numbers; they are left out."


def csv_text(report: Report) -> str:
    """Return the bill as CSV: a line for each row of each currency, with hours and money of every amount."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    views = report.views
    first = views[0] if views else view(report.bill, report.by, "")
    numbers = [f"{what.value}_{unit}" for what in first.whats for unit in ("hours", "money")]
    writer.writerow(["currency", "kind", *first.columns, *numbers])
    for made in views:
        for row in made.rows:
            amounts = [row.amounts.get(what) for what in made.whats]
            money = [
                text
                for one in amounts
                for text in ((str(one.hours), str(one.money) if made.currency else "") if one else ("", ""))
            ]
            writer.writerow([made.currency, row.kind, *row.names, *money])
    return out.getvalue()


def data(report: Report) -> dict[str, Any]:
    """Return the bill for programs. Amounts are text, since a JSON number is a binary one to most readers."""
    return {
        "format_version": FORMAT_VERSION,
        "server": report.server,
        "from": report.span.start.isoformat(),
        "to": report.span.end.isoformat(),
        "timeZone": report.time_zone,
        "by": report.by,
        "bills": [_bill(report, made) for made in report.views],
        "coverage": [_cluster(name, list(days)) for name, days in _by_cluster(report.bill.covered)],
        "cautions": list(report.cautions),
    }


def _by_cluster(covered: Iterable[Covered]) -> Iterator[tuple[str, Iterator[Covered]]]:
    return itertools.groupby(covered, key=lambda one: one.cluster)


def _bill(report: Report, made: View) -> dict[str, Any]:
    teams, no_team, nobody, capacity = _parts(report, made)
    check = {
        "teams": str(teams),
        "noTeam": str(no_team),
        "unallocated": str(nobody),
        "capacity": str(capacity),
        "difference": str(teams + no_team + nobody - capacity),
    }
    return {
        "currency": made.currency or None,
        "rows": [
            {"kind": row.kind, **dict(zip(made.columns, row.names, strict=True)), **_amounts(made, row)}
            for row in made.rows
        ],
        "check": check if made.currency else None,
    }


def _amounts(made: View, row: Row) -> dict[str, dict[str, str | None]]:
    return {
        what.value: {"hours": str(amount.hours), "money": str(amount.money) if made.currency else None}
        for what, amount in row.amounts.items()
    }


def _cluster(name: str, days: Sequence[Covered]) -> dict[str, Any]:
    return {
        "cluster": name or None,
        "minutes": sum(day.minutes for day in days),
        "seen": sum(min(day.samples, day.minutes) for day in days),
        "gaps": [
            {"day": day.day.isoformat(), "minutes": day.minutes, "seen": day.samples}
            for day in days
            if day.samples < day.minutes
        ],
    }

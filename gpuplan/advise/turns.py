"""What would change the answer: each fact alone, at the nearest value at which the direction turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gpuplan.advise.case import Case, Way
from gpuplan.advise.decide import direction
from gpuplan.advise.settings import Settings
from gpuplan.words import counted

MOST_NODES: Final = 100_000
MOST_GROWTH: Final = 1000
MOST_RELEASES: Final = 1000
MOST_PEOPLE: Final = 60
"""How far each is looked for; beyond it nothing of a kind exists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One change that turns the direction. `key` is the question that it answers, empty where it is a fact of the fleet."""

    fact: str
    key: str
    when: str
    way: Way


def turns(case: Case, settings: Settings) -> tuple[Turn, ...]:
    """Return the nearest turn of each fact that has one, numbers first."""
    return tuple(_Search(case=case, settings=settings, now=direction(case, settings).way).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    case: Case
    settings: Settings
    now: Way

    def all(self) -> Iterator[Turn]:
        """Yield every turn."""
        case = self.case
        yield from self._number("nodes", "", case.nodes, MOST_NODES, case.with_nodes, lambda n: counted(n, "node"))
        yield from self._number(
            "growth",
            "growthPercentPerYear",
            case.growth,
            MOST_GROWTH,
            lambda n: replace(case, growth=n),
            lambda n: f"{n} % growth a year",
        )
        yield from self._number(
            "releases",
            "modelReleasesPerDay",
            case.releases,
            MOST_RELEASES,
            lambda n: replace(case, releases=n),
            lambda n: f"{counted(n, 'release')} a day",
        )
        yield from self._people()
        yield from self._words()

    def _turned(self, case: Case) -> Way | None:
        way = direction(case, self.settings).way
        return way if way != self.now else None

    def _number(
        self, fact: str, key: str, here: int, most: int, at: Callable[[int], Case], words: Callable[[int], str]
    ) -> Iterator[Turn]:
        """Look for the nearest number at which it turns: more of it never speaks for scripts, so it turns once."""
        up = self.now == "manual"
        low, high = (here, most) if up else (0 if fact != "nodes" else 1, here)
        if low >= high or self._turned(at(high if up else low)) is None:
            return
        while high - low > 1:
            middle = (low + high) // 2
            if (self._turned(at(middle)) is not None) == up:
                high = middle
            else:
                low = middle
        nearest = high if up else low
        way = self._turned(at(nearest))
        if way is not None:
            side = "or more" if up else "or fewer"
            yield Turn(fact=fact, key=key, when=f"at {words(nearest)} {side}, not {here}", way=way)

    def _people(self) -> Iterator[Turn]:
        able = self.case.controllers
        steps = sorted(range(4), key=lambda number: abs(number - (3 if able is None else able)))
        yield from self._first(
            "controllers",
            "people.controllers",
            [
                (
                    f"if {number or 'nobody'} of the people can debug a controller",
                    replace(self.case, controllers=number),
                )
                for number in steps
                if number != able
            ],
        )
        has = self.case.people
        near = sorted(range(1, MOST_PEOPLE), key=lambda number: abs(number - (MOST_PEOPLE if has is None else has)))
        yield from self._first(
            "people",
            "people.platform",
            [
                (f"with {number} people for the platform", replace(self.case, people=number))
                for number in near
                if number != has
            ],
        )

    def _words(self) -> Iterator[Turn]:
        case = self.case
        yield from self._first(
            "privileged",
            "security.privilegedPods",
            [
                (f"if privileged pods are {word}", replace(case, privileged=word))
                for word in ("allowed", "reviewed", "forbidden")
                if word != case.privileged
            ],
        )
        apart = (
            "if the clusters are not cut off" if case.air_gapped else "if the clusters are cut off from the internet"
        )
        yield from self._first(
            "airGapped", "security.airGapped", [(apart, replace(case, air_gapped=not case.air_gapped))]
        )
        service = "if nothing runs on the pool yet" if case.in_service else "if the pool is in service"
        yield from self._first("inService", "inService", [(service, replace(case, in_service=not case.in_service))])
        more = int(self.settings.of("thresholds.clouds"))
        if case.clouds < more:
            yield from self._first(
                "clouds", "clouds", [(f"if nodes run in {counted(more, 'cloud')}", replace(case, clouds=more))]
            )
        yield from self._fleet()

    def _fleet(self) -> Iterator[Turn]:
        case = self.case
        if case.drain_seconds:
            yield from self._first(
                "state", "", [("if no work on the pool holds state", replace(case, drain_seconds=0))]
            )
        else:
            long = int(self.settings.of("thresholds.longDrainSeconds"))
            yield from self._first(
                "state", "", [(f"if work on the pool needs {long} s to hand over", replace(case, drain_seconds=long))]
            )
        if case.driver == "operator":
            stays = "if the driver comes with the nodes (`driver: {preinstalled: true}`)"
            yield from self._first("driver", "", [(stays, case.with_driver("nodes"))])
        else:
            yield from self._first(
                "driver", "", [("if the operator installs the driver", case.with_driver("operator"))]
            )

    def _first(self, fact: str, key: str, tries: Sequence[tuple[str, Case]]) -> Iterator[Turn]:
        for when, case in tries:
            way = self._turned(case)
            if way is not None:
                yield Turn(fact=fact, key=key, when=when, way=way)
                return

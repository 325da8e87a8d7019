"""What changes do on the clusters: effects by risk and by the fact behind them, which is said once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gpuplan.catalog.effects import EffectFact
from gpuplan.plan import Effect, Risk
from gpuplan.report.plans.parts import Entries, Entry, Section
from gpuplan.report.plans.words import because, counted

TITLES: Final = {
    Risk.DESTRUCTIVE: "Destructive: what is lost for good",
    Risk.DISRUPTIVE: "Disruptive: what restarts, drains, waits or is evicted",
    Risk.LOW: "Low risk: limits, waits and rules that change",
    Risk.NONE: "Without risk",
}
NOUN: Final = ("effect", "effects")


def sections(effects: Sequence[Effect], facts: Mapping[str, EffectFact]) -> tuple[Section, ...]:
    """Return one section for each risk that has effects, the worst first."""
    said: set[str] = set()
    made = []
    for risk in sorted(Risk, key=lambda risk: -risk.rank):
        groups = tuple(_groups([effect for effect in effects if effect.risk is risk], facts, said))
        if groups:
            folded = risk.rank <= Risk.LOW.rank
            made.append(Section(title=TITLES[risk], noun=NOUN, blocks=groups, risk=risk, folded=folded))
    return tuple(made)


def _groups(effects: Sequence[Effect], facts: Mapping[str, EffectFact], said: set[str]) -> Iterator[Entries]:
    """Yield the effects of each fact; what the fact says stands with the first."""
    for name in dict.fromkeys(effect.fact for effect in effects):
        fact = facts.get(name)
        first = fact is not None and name not in said
        said.add(name)
        yield Entries(
            title=fact.title if fact else name,
            entries=tuple(_entry(effect) for effect in effects if effect.fact == name),
            after=fact.does if fact and first else "",
            link=fact.source if fact and first else "",
        )


def _entry(effect: Effect) -> Entry:
    where = f"{effect.cluster}: " if effect.cluster else ""
    touched = [
        *([counted(effect.nodes, "node")] if effect.nodes else []),
        *([counted(effect.cards, "card")] if effect.cards else []),
        *([f"loses: {', '.join(effect.teams)}"] if effect.teams else []),
    ]
    return Entry(
        sign="!",
        text=f"{where}{effect.summary}",
        origin=because(effect.causes),
        details=(" · ".join(touched),) if touched else (),
    )

"""Report on the strategies: `python -m tests.generated [number of fleets] [seed]`.

Prints the part of the fleets that `check` accepts, what it says of them, and how often each feature of the spec occurs.
"""

from __future__ import annotations

import sys
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from gpuplan import rules
from gpuplan.diagnostics import has_errors
from tests.build import resolved
from tests.generated import Spec, specs, texts
from tests.generated.features import features, possible
from tests.generated.text import HEAD


def main(count: int, start: int) -> None:
    """Draw fleets and print what they are."""
    seen: Counter[str] = Counter()
    said: Counter[str] = Counter()
    accepted: Counter[bool] = Counter()

    @seed(start)
    @settings(
        max_examples=count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(specs().flatmap(lambda spec: st.tuples(st.just(spec), texts(spec))))
    def look(both: tuple[Spec, str]) -> None:
        spec, text = both
        fleet, found = resolved(text)
        found = (*found, *(rules.check(fleet) if fleet else ()))
        accepted[fleet is not None and not has_errors(found)] += 1
        said.update({f"{finding.severity.value:8}{finding.rule}" for finding in found})
        seen.update(features({**HEAD, **spec}))

    look()
    offered = possible()
    _table("findings", said, accepted.total())
    _table("features", seen, accepted.total())
    print(f"never used: {', '.join(sorted(offered - set(seen))) or 'nothing'}")
    print(f"{len(offered & set(seen))} of {len(offered)} features used")
    print(f"accepted {accepted[True]} of {accepted.total()} fleets")


def _table(title: str, counts: Counter[str], total: int) -> None:
    print(f"\n{title}")
    for name, number in sorted(counts.items()):
        print(f"{100 * number / total:5.1f} %  {name}")
    print()


if __name__ == "__main__":
    main(*(int(word) for word in (*sys.argv[1:], *("500", "1")[len(sys.argv) - 1 :])))

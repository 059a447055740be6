"""Many random cases of a property test, drawn outside of pytest: what came of them, and the failures themselves."""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from onnx import ModelProto, helper
from random_graphs import Case

BATCH = 20  # cases
Check = Callable[[Case, Any], str]  # why a case is refused, or nothing; raises if anything is wrong


def brief(model: ModelProto) -> str:
    """The nodes of a network without its weights."""
    return helper.printable_graph(model.graph)


@dataclass
class Tally:
    """What came of cases."""

    right: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # by the sentence, without its numbers
    failures: list[str] = field(default_factory=list)
    options: Counter[str] = field(default_factory=Counter)  # of those that are right
    slowest: tuple[float, int] = (0.0, 0)  # seconds, and the case

    @property
    def count(self) -> int:
        """All cases."""
        return self.right + self.refused.total() + len(self.failures)

    def take(self, number: int, case: Case, how: Any, check: Check) -> None:
        """Check one more, which is called `number` where it goes wrong."""
        began = time.perf_counter()
        try:
            sentence = check(case, how)
        except Exception:
            text = f"case {number}: {how}\n{brief(case.model)}\n{traceback.format_exc()}"
            self.failures.append(text)
            print(text, flush=True)
            return
        finally:
            self.slowest = max(self.slowest, (time.perf_counter() - began, number))
        if sentence:
            self.refused["".join("N" if sign.isdigit() else sign for sign in sentence)[:160]] += 1
            return
        self.right += 1
        self.options.update(f"{name} {value}" for name, value in getattr(how, "options", {}).items() if name != "cores")

    def tell(self) -> None:
        """Print it."""
        print(f"{self.count} cases: {self.right} right, {self.refused.total()} refused, {len(self.failures)} wrong")
        print(f"slowest: {self.slowest[0]:.1f} s, case {self.slowest[1]}")
        for text, number in self.refused.most_common():
            print(f"refused {number:5}: {text}")
        for text, number in sorted(self.options.items()):
            print(f"right   {number:5}: {text}")


def campaign(
    cases: st.SearchStrategy[Case],
    ways: st.SearchStrategy[Any],
    check: Check,
    count: int,
    number: int,
    only: int | None = None,
    shrink: bool = False,
) -> Tally:
    """Check `count` cases of the seed `number`, or case `only` of them; with `shrink` raise the smallest failure.

    They are drawn in batches, because hypothesis makes cases that are like those before.
    """
    tally, phases = Tally(), (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    drawn = iter(range(count))

    def one(case: Case, how: Any) -> None:
        number = 0 if shrink else next(drawn, count)  # what is reduced is drawn as often as that takes
        if number == count or only not in (None, number):
            return
        if shrink:
            check(case, how)
        else:
            tally.take(number, case, how, check)

    for batch in range(-(-count // BATCH)):
        plain = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
        draw = settings(plain, max_examples=BATCH, phases=phases)
        seed(f"{number} {batch}")(draw(given(cases, ways)(one)))()
    return tally


def main(campaign: Callable[[int, int, int | None, bool], Tally], description: str | None) -> int:
    """The command line of a module with such a `campaign`: run it and tell of it; the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--reduce", action="store_true")
    given = parser.parse_args()
    tally = campaign(given.count, given.seed, given.only, given.reduce)
    tally.tell()
    return bool(tally.failures)

"""What a whole mapping comes to, forecast from the cost of its parts: mappings are compared by it, none being made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass

from compiler.mapping import tuned

Share = tuple[int, float]  # a core, and the nanoseconds that it works for a layer


@dataclass(frozen=True, slots=True)
class Forecast:
    """Nanoseconds of a sample, from sample to sample, and of the busiest core; bytes that cores send each other."""

    latency: float
    period: float
    busiest: float
    nbytes: float

    def no_worse(self, other: Forecast) -> bool:
        """Whether nothing of it is more than of another one, but for what rounding makes of sums."""
        return all(mine <= its * (1 + 1e-9) for mine, its in zip(astuple(self), astuple(other), strict=True))

    @property
    def total(self) -> float:
        """What decides between those of which each is better than a third one."""
        return self.latency + self.period


def forecast(layers: Iterable[tuple[Collection[int], Sequence[Share]]], nbytes: float) -> Forecast:
    """The forecast for layers in an order in which each stands behind those that it needs, by their numbers.

    A core does its layers one after another, and begins one when all that it needs is there. A core that waits between
    two of them cannot begin the next sample meanwhile: from its first to its last one it is taken.
    """
    done = list[float]()
    begun, free, busy = dict[int, float](), defaultdict[int, float](float), defaultdict[int, float](float)
    for needs, shares in layers:
        ready, end = max((done[number] for number in needs), default=0.0), 0.0
        for core, nanoseconds in shares:
            begin = max(ready, free[core])
            begun.setdefault(core, begin)
            free[core] = begin + nanoseconds
            busy[core] += nanoseconds
            end = max(end, free[core])
        done.append(end)
    period = max((free[core] - begin for core, begin in begun.items()), default=0.0)
    return Forecast(max(done, default=0.0), period, max(busy.values(), default=0.0), nbytes)


def best(found: Sequence[Forecast]) -> int:
    """Of several mappings the one to take: that with the least total of those that are no worse than the first.

    The first one itself, if that gains less than `tuned.LEAST_GAIN`.
    """
    fair = (number for number, each in enumerate(found) if each.no_worse(found[0]))
    least = min(fair, key=lambda number: found[number].total)
    gain, of = tuned.LEAST_GAIN
    return least if of * found[least].total <= (of - gain) * found[0].total else 0

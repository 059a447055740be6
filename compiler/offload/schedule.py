"""When products that depend on each other are dispatched and awaited: what a strategy is given, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from emu.program.banks import Bank, place_on
from emu.program.group import GroupSpec


@dataclass(frozen=True, slots=True)
class Graph:
    """Products by number, in the order of the text: how many crossbars each takes, all of one core, and what it needs.

    `needs` are those of each product, and behind them of what the host computes of several products: a number from
    `products` on is such a sum, which takes no time and no crossbar. Nothing needs itself, not by way of others either.
    """

    crossbars: tuple[int, ...]
    needs: tuple[tuple[int, ...], ...]

    @property
    def products(self) -> int:
        """How many there are."""
        return len(self.crossbars)

    def users(self) -> list[list[int]]:
        """Who needs each one."""
        found: list[list[int]] = [[] for _ in self.needs]
        for number, needs in enumerate(self.needs):
            for need in needs:
                found[need].append(number)
        return found

    def order(self) -> list[int]:
        """All numbers, each behind what it needs."""
        left, users = [len(set(needs)) for needs in self.needs], [dict.fromkeys(each) for each in self.users()]
        order = [number for number, count in enumerate(left) if not count]
        for number in order:  # grows
            for user in users[number]:
                left[user] -= 1
                if not left[user]:
                    order.append(user)
        return order


class CrossbarRoom:
    """Crossbars while products hold some of them, as the device gives them out."""

    def __init__(self, banks: list[Bank], specs: Sequence[GroupSpec], most: int) -> None:
        self._banks, self._specs, self._left = banks, specs, most
        self._held = dict[int, tuple[int, int]]()

    def take(self, product: int) -> bool:
        """Give a product its crossbars; False if it must wait until others give theirs back."""
        spec = self._specs[product]
        found = place_on(self._banks, spec) if spec.crossbars <= self._left else None
        if found is None:
            return False
        self._held[product] = found[0], self._banks[found[0]].take(found[1])
        self._left -= spec.crossbars
        return True

    def give_back(self, product: int) -> None:
        """Those of a product that was awaited."""
        core, group = self._held.pop(product)
        self._banks[core].give_back(group)
        self._left += self._specs[product].crossbars


@dataclass(frozen=True, slots=True)
class Resources:
    """What the device grants: `cores` of `places` crossbars each; at most `crossbars` may be held at a time."""

    cores: int
    places: int
    crossbars: int
    bank: Bank  # of one core, with nothing held yet
    specs: tuple[GroupSpec, ...]  # what products take, by number

    def room(self) -> CrossbarRoom:
        """All of it, with nothing held yet."""
        return CrossbarRoom([self.bank.copy() for _ in range(self.cores)], self.specs, self.crossbars)

    def kind(self, product: int) -> object:
        """Products of one kind fit alike: if one finds no room, others do not."""
        spec = self.specs[product]
        return spec.crossbars, spec.weight


@dataclass(frozen=True, slots=True)
class Schedule:
    """When each product is dispatched and awaited, by number: whole numbers, in any unit.

    Its crossbars are written and held from its dispatch until it is awaited. At one time products are awaited first,
    and then others are dispatched, in the order of their numbers.
    """

    dispatch: Sequence[int]
    wait: Sequence[int]


class Strategy(Protocol):
    """A class that is made without arguments; what it answers is checked before it is used."""

    def schedule(self, graph: Graph, resources: Resources) -> Schedule:
        """Times for all products: each is awaited later than dispatched, and not later than who needs it is dispatched.

        What is held at one time must have room.
        """
        ...


class ScheduleFault(Exception):
    """What is wrong with a schedule, of which product."""

    def __init__(self, product: int, reason: str) -> None:
        super().__init__(reason)
        self.product = product


def check_schedule(made: object, graph: Graph, resources: Resources) -> list[tuple[int, bool]]:
    """Products in the order of their events, and whether each is awaited then, or dispatched; raises ScheduleFault."""
    dispatch, wait = (_times(made, name, graph.products) for name in ("dispatch", "wait"))
    ready = dict[int, int]()  # when all that a sum needs was awaited
    for number in graph.order():
        needs = graph.needs[number]
        latest = max((wait[need] if need < graph.products else ready[need] for need in needs), default=None)
        if number >= graph.products:
            assert latest is not None
            ready[number] = latest
        elif latest is not None and latest > dispatch[number]:
            raise ScheduleFault(
                number, f"dispatches it at {dispatch[number]}, and what it needs is awaited at {latest}"
            )
        elif wait[number] <= dispatch[number]:
            raise ScheduleFault(number, f"awaits it at {wait[number]}, and dispatches it at {dispatch[number]}")
    events = sorted(
        [(time, 0, number) for number, time in enumerate(wait)]
        + [(time, 1, number) for number, time in enumerate(dispatch)]
    )
    room = resources.room()
    for time, calls, number in events:
        if not calls:
            room.give_back(number)
        elif not room.take(number):
            raise ScheduleFault(
                number, f"dispatches it at {time}, when no core has {graph.crossbars[number]} free for it"
            )
    return [(number, not calls) for _, calls, number in events]


def _times(made: object, name: str, products: int) -> list[int]:
    """The times of a schedule; raises ScheduleFault if they are none."""
    given = getattr(made, name, None)
    try:
        times = list(given)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise ScheduleFault(0, f"answers with a {type(made).__name__} that has no times {name!r}") from None
    if len(times) != products:
        raise ScheduleFault(0, f"answers with {len(times)} times {name!r} for {products} products")
    try:
        return [int(time.__index__()) for time in times]
    except AttributeError:
        raise ScheduleFault(0, f"answers with times {name!r} that are no whole numbers") from None

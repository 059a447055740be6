"""When products are done that depend on each other, with so many crossbars: strategies by name."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence

# The products that each one needs, by number; and how many may be done at a time. What comes is a step for each.
Needs = Sequence[frozenset[int]]
Strategy = Callable[[Needs, int], list[int]]


def asap(needs: Needs, crossbars: int) -> list[int]:
    """As soon as possible: of those that are ready, those on which the longest chain hangs come first."""
    users = users_of(needs)
    left, height = [len(each) for each in needs], _heights(needs, users)
    ready = [(-height[place], place) for place, count in enumerate(left) if not count]
    heapq.heapify(ready)
    steps, step = [0] * len(needs), 0
    while ready:
        chosen = [heapq.heappop(ready)[1] for _ in range(min(crossbars, len(ready)))]
        for place in chosen:
            steps[place] = step
        for user in [user for place in chosen for user in users[place]]:
            left[user] -= 1
            if not left[user]:
                heapq.heappush(ready, (-height[user], user))
        step += 1
    return steps


def alap(needs: Needs, crossbars: int) -> list[int]:
    """As late as possible: the same from the end."""
    last = asap(users_of(needs), crossbars)
    end = max(last, default=0)
    return [end - step for step in last]


SCHEDULES: Mapping[str, Strategy] = {"asap": asap, "alap": alap}


def users_of(needs: Needs) -> list[frozenset[int]]:
    """Who needs each one."""
    found = [set[int]() for _ in needs]
    for place, each in enumerate(needs):
        for need in each:
            found[need].add(place)
    return [frozenset(each) for each in found]


def _heights(needs: Needs, users: Sequence[frozenset[int]]) -> list[int]:
    """The longest chain that hangs on each."""
    left, order = [len(each) for each in needs], [place for place, each in enumerate(needs) if not each]
    for place in order:  # grows
        for user in users[place]:
            left[user] -= 1
            if not left[user]:
                order.append(user)
    heights = [0] * len(needs)
    for place in reversed(order):
        heights[place] = 1 + max((heights[user] for user in users[place]), default=0)
    return heights

"""Strongly connected components of directed graphs, and the order in which they depend on each other."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

Graph = Mapping[int, Iterable[int]]  # the successors of every node; they are nodes, too


def components(graph: Graph) -> dict[int, int]:
    """A number per node, counted from 0, equal for nodes that reach each other: Kosaraju's two passes, no recursion."""
    before: dict[int, list[int]] = {node: [] for node in graph}
    for node, followers in graph.items():
        for follower in followers:
            before[follower].append(node)
    number: dict[int, int] = {}
    count = 0
    for seed in reversed(_postorder(graph)):
        if seed in number:
            continue
        number[seed], stack = count, [seed]
        while stack:
            for other in before[stack.pop()]:
                if other not in number:
                    number[other] = count
                    stack.append(other)
        count += 1
    return number


def _postorder(graph: Graph) -> list[int]:
    """All nodes, each after those that it leads to, but for nodes of one circle."""
    seen: set[int] = set()
    order: list[int] = []
    for seed in graph:
        if seed in seen:
            continue
        seen.add(seed)
        stack = [(seed, iter(graph[seed]))]
        while stack:
            node, followers = stack[-1]
            for follower in followers:
                if follower not in seen:
                    seen.add(follower)
                    stack.append((follower, iter(graph[follower])))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def sorted_components(graph: Graph) -> list[list[int]]:
    """The (sorted) nodes of each component, in topological order; where there is a choice, the lowest node first."""
    number = components(graph)
    members: list[list[int]] = [[] for _ in range(len(set(number.values())))]
    for node in sorted(number):
        members[number[node]].append(node)
    waits = [0] * len(members)
    after: dict[int, list[int]] = {}
    for a, b in {(number[node], number[other]) for node, others in graph.items() for other in others}:
        if a != b:
            waits[b] += 1
            after.setdefault(a, []).append(b)
    ready = [(members[k][0], k) for k, count in enumerate(waits) if not count]
    heapq.heapify(ready)
    order: list[list[int]] = []
    while ready:
        _, component = heapq.heappop(ready)
        order.append(members[component])
        for other in after.get(component, ()):
            waits[other] -= 1
            if not waits[other]:
                heapq.heappush(ready, (members[other][0], other))
    return order

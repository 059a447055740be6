"""Cores that feed each other in a circle: strongly connected components of a directed graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def components(graph: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """A number per node, equal for nodes that reach each other (Kosaraju's two passes); `graph` lists successors."""
    reverse: dict[int, list[int]] = {node: [] for node in graph}
    for node, followers in graph.items():
        for follower in followers:
            reverse.setdefault(follower, []).append(node)
    finished: list[int] = []
    seen: set[int] = set()
    for node in reverse:
        finished += _finish_order(node, graph, seen)
    found: dict[int, int] = {}
    seen = set()
    for node in reversed(finished):
        found.update(dict.fromkeys(_finish_order(node, reverse, seen), node))
    return found


def _finish_order(start: int, graph: Mapping[int, Iterable[int]], seen: set[int]) -> Sequence[int]:
    """The unseen nodes that `start` reaches, each after those that it leads to."""
    if start in seen:
        return ()
    seen.add(start)
    order: list[int] = []
    stack = [(start, iter(graph.get(start, ())))]
    while stack:
        node, followers = stack[-1]
        for follower in followers:
            if follower not in seen:
                seen.add(follower)
                stack.append((follower, iter(graph.get(follower, ()))))
                break
        else:
            order.append(node)
            stack.pop()
    return order

"""Strongly connected components equal those of a transitive closure, and no edge runs against their order."""

from hypothesis import given
from hypothesis import strategies as st

from emu.graphs import components, sorted_components

GRAPHS = st.integers(1, 9).flatmap(
    lambda size: st.lists(st.sets(st.integers(0, size - 1)), min_size=size, max_size=size)
)


def reach(graph, start):
    seen, left = {start}, [start]
    while left:
        for follower in graph[left.pop()] - seen:
            seen.add(follower)
            left.append(follower)
    return seen


@given(GRAPHS)
def test_components_are_what_reaches_each_other(followers):
    graph = dict(enumerate(followers))
    number = components(graph)
    assert set(number.values()) == set(range(max(number.values()) + 1))
    closure = {node: reach(graph, node) for node in graph}
    for left in graph:
        for right in graph:
            assert (number[left] == number[right]) == (left in closure[right] and right in closure[left])


@given(GRAPHS)
def test_components_are_sorted_and_the_lowest_comes_first(followers):
    graph = dict(enumerate(followers))
    order, number, done = sorted_components(graph), components(graph), set()
    assert sorted(node for members in order for node in members) == sorted(graph)
    left = list(order)
    while left:
        free = [
            members
            for members in left
            if all(number[a] == number[members[0]] or a in done for a in graph if graph[a] & set(members))
        ]
        assert left[0] == min(free) == sorted(left[0])
        done |= set(left.pop(0))

"""Strongly connected components equal those of a transitive closure."""

from hypothesis import given
from hypothesis import strategies as st

from compiler.streaming.cycles import components

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
    found = components(graph)
    closure = {node: reach(graph, node) for node in graph}
    for left in graph:
        for right in graph:
            assert (found[left] == found[right]) == (left in closure[right] and right in closure[left])

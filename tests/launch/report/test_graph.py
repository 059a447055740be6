"""The network's graph: who has written bytes last, and edges by the ONNX file and by the programs."""

from pathlib import Path

from commands import DIGITS
from hypothesis import given
from hypothesis import strategies as st

from launch.report.report import Values
from launch.report.sources.graph import Edge, LastWriters, graph_of
from launch.report.sources.subject import read_subject

RANGES = st.tuples(st.integers(0, 30), st.integers(1, 12), st.sampled_from("abcd"))


@given(st.lists(RANGES, max_size=25), st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), max_size=10))
def test_memory_knows_the_last_writer_of_every_byte(
    writes: list[tuple[int, int, str]], reads: list[tuple[int, int]]
) -> None:
    memory, by_byte = LastWriters(), dict[int, str]()
    for begin, size, writer in writes:
        memory.write(begin, begin + size, writer)
        by_byte |= dict.fromkeys(range(begin, begin + size), writer)
    for begin, size in [*reads, (0, 50)]:
        wanted = {by_byte[byte] for byte in range(begin, begin + size) if byte in by_byte}
        assert set(memory.writers(begin, begin + size)) == wanted


def passed_through(edges: list[Edge], kept: set[str]) -> set[Edge]:
    """Edges between `kept` nodes; what lies between is passed through."""
    after: dict[str, list[str]] = {}
    for before, behind in edges:
        after.setdefault(before, []).append(behind)
    found = set[Edge]()
    for start in kept:
        waiting = list(after.get(start, []))
        while waiting:
            node = waiting.pop()
            if node in kept:
                found.add((start, node))
            else:
                waiting += after.get(node, [])
    return found


def test_programs_read_what_the_onnx_file_says(image: Path, values: Values) -> None:
    of_programs = graph_of(read_subject(image))
    of_model = graph_of(read_subject(image, model=DIGITS))
    assert (of_programs.source, of_model.source) == ("programs", "model")
    running = {node["node"] for node in values["nodes"] if node["cores"]}
    assert set(of_programs.edges) == passed_through(list(of_model.edges), running)
    assert of_model.kinds["node_Conv_36"] == "Conv" and not of_programs.kinds

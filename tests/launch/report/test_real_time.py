"""Real time of nodes and cores from traces: sums of what the trace says, and what is refused."""

import gzip
import io
import json
from pathlib import Path
from typing import Any, cast

import pytest
from commands import DIGITS, SAMPLES, Emu
from hypothesis import given
from hypothesis import strategies as st

from launch.report.sources.real_time import read_real_time
from launch.tracing.chrome import write_chrome
from launch.tracing.model import Counter, CounterUnit, Slice, Track
from launch.tracing.nodes import first_of
from launch.tracing.run_tracks import REAL

# Of a core: samples of nodes, each with batches and requests of some ns.
LEAVES = st.lists(st.tuples(st.booleans(), st.integers(0, 10**6)), max_size=4)
SAMPLE = st.lists(st.tuples(st.sampled_from("abc"), LEAVES), max_size=4)
RUNS = st.integers(1, 3).flatmap(lambda count: st.lists(st.lists(SAMPLE, min_size=count, max_size=count), min_size=1))


def tracks(run: list, numbers: range | None = None) -> list[Track]:
    """One track per core, its samples called by their numbers."""
    found = []
    for core, samples in enumerate(run):
        at, slices = 0, []
        for number, sample in zip(numbers or range(len(samples)), samples, strict=False):
            begin, nodes = at, []
            for name, leaves in sample:
                first, inner = at, []
                for request, length in leaves:
                    notes = (("index", 3),) if request else (("first", 3), ("until", 5))
                    inner.append(Slice("recv" if request else "mvmul", at, at + length, (), (), (), notes))
                    at += length
                nodes.append(Slice(f"{name} + z", first, at, inner))
            slices.append(Slice(f"sample {number}", begin, at, nodes))
        found.append(Track((REAL, f"core {core}"), [Slice("init", 0, 0), *slices]))
    return found


def write(path: Path, parts: list) -> Path:
    content = io.BytesIO()
    write_chrome(cast("Any", content), parts)
    path.write_bytes(content.getvalue())
    return path


@given(RUNS)
def test_times_are_the_means_of_all_samples_but_the_first(tmp_path_factory: pytest.TempPathFactory, run: list) -> None:
    path = write(tmp_path_factory.mktemp("trace") / "t.json", tracks(run))
    found = read_real_time(path, range(len(run)))
    first = 1 if len(run[0]) > 1 else 0
    assert found.samples == len(run[0]) - first
    for core, samples in enumerate(run):
        leaves = [leaf for sample in samples[first:] for _, leaves in sample for leaf in leaves]
        spent = found.by_core.get(core)
        for request, got in ((False, spent and spent.work), (True, spent and spent.requests)):
            wanted = sum(length for kind, length in leaves if kind == request) * 1e-9 / found.samples
            assert (got or 0) == pytest.approx(wanted, abs=1e-12)
    assert sum(s.work for s in found.by_node.values()) == pytest.approx(sum(s.work for s in found.by_core.values()))


def test_nodes_whose_names_hold_what_stands_between_names(tmp_path: Path) -> None:
    run = [[[("x + y", [(False, 1000)]), ("b", [(True, 2000)])]]]
    found = read_real_time(write(tmp_path / "t.json", tracks(run)), range(1), {"x + y", "b", "z"})
    assert set(found.by_node) == {"x + y", "b"}
    assert first_of("x + y + z", {"x", "y", "z"}) == first_of("x + y", ()) == "x"


def test_samples_that_not_all_cores_have_do_not_count(tmp_path: Path) -> None:
    whole = [[("a", [(False, 1000)])]] * 4
    parts = [tracks([whole])[0], tracks([whole, whole], range(2, 6))[1]]
    assert read_real_time(write(tmp_path / "t.json", parts), range(2)).samples == 1  # 2 and 3, without 2
    parts = [tracks([whole])[0], tracks([whole, whole], range(7, 9))[1]]
    from emu.errors import InputError

    with pytest.raises(InputError, match="no sample of all cores"):
        read_real_time(write(tmp_path / "t.json", parts), range(2))


def test_simulated_time_in_the_file_does_not_count(tmp_path: Path) -> None:
    part = tracks([[[("a", [(False, 1000)])]]])[0]
    beside = Track(("simulated time on puma", "core 0", "nodes"), list(part.slices))
    counter = Counter((REAL, "all cores", "blocked cores"), CounterUnit.CORES, [(0, 1), (5, 0)])
    found = read_real_time(write(tmp_path / "t.json", [counter, part, beside]), range(1))
    assert found.by_core[0].work == pytest.approx(1e-6)


def test_a_run_gives_times_of_all_nodes_that_run(image: Path, emu: Emu, tmp_path: Path) -> None:
    trace = tmp_path / "run.json.gz"
    ran = emu("launch", image, "--sequential", "--trace", trace)
    assert ran.exit_code == 0, ran.output
    told = json.loads(emu("report", image, "--trace", trace, "--model", DIGITS, "--json").stdout)
    assert told["trace"] == {"file": str(trace), "samples": 1}
    assert all(core["real_seconds"] > 0 for core in told["cores"])
    for node in told["nodes"]:
        assert (node["real_seconds"] is not None) == bool(node["cores"])
    assert not [entry for entry in told["absent"] if "real time" in entry["what"]]
    nodes, cores = (sum(one["real_seconds"] or 0 for one in told[part]) for part in ("nodes", "cores"))
    assert 0 < nodes <= cores * (1 + 1e-9)  # cores also do what belongs to no node


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is no trace of a run in Chrome's format"),
        (b"\x1f\x8b\x08 cut", "is no trace of a run in Chrome's format"),
        (gzip.compress(b"{}", mtime=0), "is no trace of a run in Chrome's format"),
        (b'{"traceEvents": [3]}', "is no trace of a run in Chrome's format"),
        (b'{"traceEvents": []}', "it has no core"),
        (b"\x0a\x03abc", "is no trace of a run in Chrome's format"),
    ],
)
def test_other_files_are_refused(image: Path, emu: Emu, tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "run.pftrace"
    path.write_bytes(content)
    result = emu("report", image, "--trace", path)
    assert result.exit_code == 2 and words in result.stderr and str(path) in result.stderr
    assert result.stderr.count("\n") == 1


def test_slices_that_end_before_they_begin_and_other_programs_are_refused(
    image: Path, emu: Emu, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.json", [Track((REAL, "core 900"), [Slice("sample 0", 0, 5)])])
    result = emu("report", image, "--trace", path)
    assert result.exit_code == 2 and "it has core 900" in result.stderr
    for change in (('"ph": "B"', '"ph": "X"'), ("core 900", "kernel")):
        path.write_text(
            write(path, [Track((REAL, "core 900"), [Slice("sample 0", 0, 5)])]).read_text().replace(*change)
        )
        result = emu("report", image, "--trace", path)
        assert result.exit_code == 2 and "is no trace of a run" in result.stderr
    assert SAMPLES.exists() and emu("report", image, "--trace", SAMPLES).exit_code == 2

"""Every row runs on a tiny network and says what a row must say; nothing here depends on the speed of the machine."""

import inspect
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.errors import InputError
from emu.image.reader import open_image
from launch.bench import engines
from launch.bench.bounds import bounds
from launch.bench.chain import write_chain
from launch.bench.compiling import GROWTH
from launch.bench.engines import executed
from launch.bench.measurement import RowOutcome
from launch.bench.probe import BenchError, probe
from launch.bench.profile import Profile, profile
from launch.bench.reference import reference
from launch.bench.rows import ROWS, choose
from launch.bench.tables import bounds_table, profile_block
from launch.bench.workshop import BenchSettings, Workshop, check_network, stored_inputs

NETWORK = "chain-1-8-6"
TINY = {  # instead of the arguments of the table
    "network": NETWORK,
    "cores": 2,
    "node": "conv0",
    "depths": [1, 2],
    "channels": 16,
    "size": 4,
    "sizes": [4, 6],
    "depth": 1,
    "batch": 3,
    "megabytes": 1,
    "arch": "default",
}
KINDS = {(row.function, row.arguments.get("what"), row.arguments.get("programs")): row for row in ROWS}
FIRST = {row.function: row for row in reversed(KINDS.values())}  # the others measure something else the same way


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("bench"), BenchSettings(runs=1, quick=True))


def tiny(name: str, value: object) -> object:
    return 64 if name == "size" and isinstance(value, int) and value >= 64 else TINY.get(name, value)


@pytest.mark.few(6)
@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.name, marks=[] if FIRST[row.function] is row else pytest.mark.full)
        for row in KINDS.values()
    ],
)
def test_rows_run(work: Workshop, row) -> None:
    arguments = {name: tiny(name, value) for name, value in row.arguments.items()}
    outcome: RowOutcome = replace(row, arguments=arguments).measure(work)
    assert outcome.error == ""
    measurement = outcome.measurement
    if measurement.against == GROWTH:  # an exponent: on networks this small it may be anything, a negative one too
        assert math.isfinite(measurement.ours)
        assert len(measurement.details["sizes"]) == len(arguments["depths"])
        assert all(size["seconds"] > 0 and size["peak_bytes"] > 0 for size in measurement.details["sizes"])
    else:
        assert measurement.ours > 0
    if measurement.baseline is None:
        assert row.target.of == "ours" and "absolute target only" in measurement.note
    else:
        assert measurement.baseline > 0
        assert measurement.against
    assert measurement.note


def test_the_table_names_functions_and_their_arguments() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    for row in ROWS:
        inspect.signature(row.function).bind(None, **row.arguments)


def test_rows_are_chosen_in_the_order_of_the_table() -> None:
    first, second = ROWS[0], ROWS[5]
    assert choose([second.name, first.name]) == (first, second)
    with pytest.raises(InputError, match="'nothing' is unknown"):
        choose([first.name, "nothing"])


def test_errors_become_outcomes(work: Workshop) -> None:
    row = replace(ROWS[0], arguments={"network": "nothing", "cores": 2})
    outcome = row.measure(work)
    assert outcome.measurement is None
    assert outcome.error.startswith("'nothing' is no built-in network: give one of `emu export --list`")
    assert replace(ROWS[0], arguments={}).measure(work).error.startswith("internal error (TypeError")


def test_other_results_than_the_baselines_have_no_speed(work: Workshop) -> None:
    image = work.image(NETWORK, 2)
    with reference(work.model(NETWORK), stored_inputs(image)) as theirs:
        theirs.check(theirs.outputs)
        with pytest.raises(BenchError, match="differs from onnxruntime"):
            theirs.check({name: array + 1 for name, array in theirs.outputs.items()})
        with pytest.raises(BenchError, match="differs from onnxruntime"):
            theirs.check({name: np.full_like(array, np.nan) for name, array in theirs.outputs.items()})
        assert theirs.seconds() > 0


def test_cores_that_are_measured_at_launch_have_a_program() -> None:
    (row,) = choose(["idle-launch"])
    assert row.arguments["programs"] is True
    assert row.target is not None and "program" in row.title
    (join,) = choose(["join-launch"])
    assert (join.arguments["programs"], join.target) == (False, None)


def test_step_and_batch_are_measured_alike(work: Workshop, monkeypatch) -> None:
    """Both run the same samples, warm, and check them: all of it is in the order of what is called."""
    calls: list[tuple[str, str]] = []

    class Watched(Core):
        def __init__(self, program, arch, weights, engine):
            super().__init__(program, arch, weights, engine)
            self.name = engine

        def check_again(self):
            super().check_again()
            calls.append((self.name, "check"))

        def begin(self, section, sample):
            super().begin(section, sample)
            calls.append((self.name, section))

    monkeypatch.setattr("emu.core.engines.core.Core", Watched)
    found = engines.run_both(str(work.image(NETWORK, 2)), "conv0", 3)
    both = ("batch", "step")
    assert calls[:2] == [(name, "init") for name in both]
    assert calls[2:-3] == [(name, what) for _ in range(1 + 3) for name in both for what in ("check", "main")]
    assert calls[-3:] == [("batch", "main")] * 3
    assert all(found[name] > 0 for name in (*both, "unchecked"))


def test_networks_may_be_files(work: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "my net.onnx"
    path.write_bytes(work.model(NETWORK).read_bytes())
    assert work.model(str(path)) == path
    assert open_image(work.image(str(path), 2)).manifest.model.name == "chain"
    assert [p.mode for p in profile(work, str(path), 2)] == ["one at a time", "pipelined"]


def test_files_that_cannot_be_measured_have_their_own_sentence(work: Workshop, tmp_path: Path) -> None:
    path = tmp_path / "bad.onnx"
    path.write_bytes(b"junk")
    with pytest.raises(BenchError, match=r"^\S*bad\.onnx is not an ONNX model, or is truncated"):
        work.image(str(path), 2)
    with pytest.raises(BenchError, match=r"^none\.onnx: there is no such file$"):
        check_network("none.onnx")
    with pytest.raises(BenchError, match="'resnet19' is no built-in network; did you mean 'resnet18'"):
        check_network("resnet19")


def test_failures_of_probes_are_told() -> None:
    with pytest.raises(BenchError, match=r"^launch\.bench\.chain:write_chain failed: TypeError"):
        probe(write_chain, path="nowhere")


def test_executed_counts_what_step_executes(work: Workshop) -> None:
    image = open_image(work.image(NETWORK, 2))
    program = image.program(0)
    core = Core(program, image.arch, image.weights(0), "step")
    core.begin("main", 0)
    count = 0
    while (step := core.advance()) is not Progress.HALTED:
        count += 1
        if not isinstance(step, Progress):
            core.complete(step)
    assert executed(program.main) in (count, count + 1)  # a `halt` ends the section instead of running on


def test_profiles_account_for_all_processors(work: Workshop) -> None:
    found = profile(work, NETWORK, 2)
    assert [p.mode for p in found] == ["one at a time", "pipelined"]
    for p in found:
        assert sum(p.parts.values()) == pytest.approx(p.processors * p.latency)
        assert p.parts["products (GEMM)"] > 0
        assert p.kernels["mvmul"][1] >= 1
        assert set(p.cores) <= {0, 1}
    page = profile_block(NETWORK, found, None, "a machine")
    assert "| mvmul |" in page
    assert "one at a time: " in page


def test_bounds_are_of_the_same_work(work: Workshop) -> None:
    image = work.image(NETWORK, 2)
    found, manifest = bounds(image, 1), open_image(image).manifest
    assert found is not None
    assert found.kernels > 0 and found.calls > 0 and found.asked >= 2
    assert found.nbytes >= sum(spec.nbytes for spec in (*manifest.inputs, *manifest.outputs))
    assert found.processor == found.kernels + found.bare.processor and found.bare.wall > 0
    plain = Profile("one at a time", 2.0, 1.5, 2, {}, {}, {})
    assert found.latency(2) == found.processor / 2
    table = bounds_table(found, plain)
    assert table.rows[-1][1:] == ("", "1.5")
    assert [len(row) for row in table.rows] == [3] * 4 and "bare process" in table.rows[1][0]


def test_models_are_made_once(work: Workshop) -> None:
    path: Path = work.model(NETWORK)
    before = path.stat().st_mtime_ns
    assert work.model(NETWORK).stat().st_mtime_ns == before

"""A device: what calls do, what they refuse, what a session takes; ended with the block."""

from dataclasses import replace

import numpy as np
import pytest

from emu.arch.read import load_arch
from emu.errors import InputError
from launch import device
from launch.devices.failures import DeviceError
from launch.system.process_state import alive

EYE = np.eye(4, dtype=np.int8)


@pytest.fixture
def chip():
    with device("tiny", cores=2, backend="sequential") as made:
        yield made


def test_processes_serve_it_and_are_gone_at_the_end():
    with device("tiny", cores=2, timeout=60) as chip:
        processes = list(chip.processes.values())
        crossbars = [chip.acquire(16, 16, "i8") for _ in range(2)]
        assert {crossbar.core for crossbar in crossbars} == {0, 1}
        for number, crossbar in enumerate(crossbars):
            crossbar.write(np.full((16, 16), number + 1, np.int8))
        futures = [crossbar.gemm(np.ones((3, 16), np.int8)) for crossbar in crossbars]
        assert [future.result()[0, 0] for future in reversed(futures)] == [32, 16]
        assert all(map(alive, processes)) and len(processes) == 2
    assert not any(map(alive, processes))
    assert futures[0].result()[0, 0] == 16  # it is there
    with pytest.raises(DeviceError, match="the device is off"):
        chip.acquire(1, 1)


def test_a_product_is_made_with_what_was_written_before_it(chip):
    crossbar = chip.acquire(4, 4, "i8")
    crossbar.write(EYE)
    before = crossbar.gemm(EYE)
    crossbar.write_rows(1, 5 * EYE[:2])
    after = crossbar.gemm(EYE, accumulate=before)
    assert before.result().tolist() == EYE.tolist()
    assert (after.result() - EYE)[1:3].tolist() == (5 * EYE[:2]).tolist()


def test_results_are_the_callers_own(chip):
    crossbar = chip.acquire(4, 4, "i8")
    matrix = EYE.copy()
    crossbar.write(matrix)
    matrix[:] = 0
    vectors = EYE.copy()
    future = crossbar.gemm(vectors)
    vectors[:] = 0
    future.result()[:] = 7
    assert future.result().tolist() == EYE.tolist()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda chip, held: held.write(np.zeros((5, 4), np.int8)), "crossbar 0 is 4 x 4, and the matrix .* larger"),
        (lambda chip, held: held.write(np.zeros((3, 4), np.int8)), "is 4 x 4, and the matrix for it is 3 x 4$"),
        (lambda chip, held: held.write(np.int8(3)), "a single value"),
        (lambda chip, held: held.write(np.zeros((4, 4))), "is of float64, and the crossbar takes int8: convert it"),
        (lambda chip, held: held.write([[300] * 4] * 4), "no array of int8"),
        (lambda chip, held: held.write_rows(3, np.zeros((2, 4), np.int8)), "from row 3 on is 2 x 4, which is larger"),
        (lambda chip, held: held.write_rows(4, EYE), "has no row 4"),
        (lambda chip, held: held.gemm(EYE), "comes before its matrix: no row of it is written"),
        (lambda chip, held: (held.write_rows(0, EYE[:3]), held.gemm(EYE)), "row 3 of it is not written"),
        (lambda chip, held: (held.write(EYE), held.gemm(EYE[:, :3].copy())), r"is \[4, 3\], and has to be \[m, 4\]"),
        (lambda chip, held: (held.write(EYE), held.gemv(EYE)), r"is \[4, 4\], and has to be \[4\]"),
        (lambda chip, held: (held.write(EYE), held.gemv(EYE[0], [1, 2])), r"added to is \[2\], and has to be \[4\]"),
        (lambda chip, held: (held.release(), held.write(EYE)), "crossbar 0 is released"),
        (lambda chip, held: (held.release(), held.release()), "crossbar 0 is released"),
        (lambda chip, held: chip.acquire(4, 4, "f64"), "crossbars hold no f64: use one of f32, f16, i8"),
        (lambda chip, held: chip.acquire(4, 4, np.float64), "crossbars hold no float64"),
        (lambda chip, held: chip.acquire(4, 4, "i8", inputs="f32"), "f32 vectors with i8 weights are floats, not i32"),
        (lambda chip, held: chip.acquire(0, 4), "rows 0 is no size of a matrix"),
        (lambda chip, held: chip.acquire(1 << 20, 1 << 10), "no core has 4194304 crossbars free"),
        (lambda chip, held: chip.barrier(3), "waits for futures, not for a int"),
    ],
)
def test_mistakes_are_told(chip, wrong, sentence):
    with pytest.raises(DeviceError, match=sentence):
        wrong(chip, chip.acquire(4, 4, "i8"))
    usable = chip.acquire(4, 4, "i8")
    usable.write(EYE)
    assert usable.gemm(EYE).result().tolist() == EYE.tolist()


def test_a_future_of_another_device_is_refused(chip):
    with device("tiny", cores=1, backend="numpy") as other:
        theirs = other.acquire(4, 4, "i8")
        theirs.write(EYE)
        future = theirs.gemm(EYE)
        crossbar = chip.acquire(4, 4, "i8")
        crossbar.write(EYE)
        for use in (lambda: crossbar.gemm(EYE, accumulate=future), lambda: chip.barrier(future)):
            with pytest.raises(DeviceError, match="a future of crossbar 0 of another device"):
                use()


def test_crossbars_that_are_released_are_free_again(chip):
    most = chip.arch.core.crossbars * chip.cores
    held = [chip.acquire(16, 16, "i8") for _ in range(most)]
    with pytest.raises(DeviceError, match=r"no core has 1 crossbar free .* at most 0 are free"):
        chip.acquire(1, 1, "i8")
    held[3].release()
    again = chip.acquire(16, 16, "i8")
    assert (again.core, again.spec.bank) == (held[3].core, held[3].spec.bank)
    with pytest.raises(DeviceError, match="no row of it is written"):
        again.gemv(np.ones(16, np.int8))


@pytest.mark.parametrize("cores", [0, -1, True, 10**6, 1.5])
def test_a_number_of_cores_that_the_chip_has_not(cores):
    with pytest.raises(InputError, match="is impossible"), device("tiny", cores=cores):
        pass


@pytest.mark.parametrize("name", ["procesess", "no.such.module:Maker", "json:NoMaker", "json:"])
def test_back_ends_that_are_not_there(name):
    with pytest.raises(DeviceError, match=r"back end|NoMaker|no\.such\.module"), device("tiny", cores=1, backend=name):
        pass


def test_counters_are_those_of_the_calls(chip):
    one, two = chip.acquire(4, 4, "i8"), chip.acquire(4, 3, "i8")
    one.write(EYE)
    one.write_rows(0, EYE[:1])
    two.write(EYE[:, :3].copy())
    two.gemm(EYE).result()
    one.gemv(EYE[0], accumulate=np.zeros(4, np.int32)).result()
    assert one.counters.to_dict() == {
        "writes": 2, "rows": 5, "weights": 20, "products": 1, "vectors": 1, "bytes_in": 20 + 4 + 16, "bytes_out": 16,
    }  # fmt: skip
    assert (chip.counters.rows, chip.counters.vectors, chip.counters.bytes_out) == (9, 5, 16 + 48)


def test_crossbars_work_side_by_side_and_one_after_the_other_on_one_core():
    def takes(cores, wait):
        with device("puma", cores=cores, backend="numpy", record=False) as chip:
            held = [chip.acquire(64, 64, "i8") for _ in range(4)]
            for crossbar in held:
                crossbar.write(np.ones((64, 64), np.int8))
            for crossbar in held:
                future = crossbar.gemm(np.ones((200, 64), np.int8))
                if wait:
                    future.result()
            return chip.simulate().time_ps

    alone, waiting = takes(4, False), takes(4, True)
    assert alone < takes(1, False) and alone < waiting


@pytest.mark.parametrize(("window", "overlap"), [(1, False), (4, True)])
def test_writes_of_two_cores_overlap_where_a_core_has_several_operations_in_flight(window, overlap):
    occ = load_arch("occ")
    chip_of = replace(occ, timing=replace(occ.timing, window=window))
    with device(chip_of, cores=2, backend="numpy", record=False) as chip:
        one, two = (chip.acquire(8, 8, "i8") for _ in range(2))
        one.write(np.ones((8, 8), np.int8))
        alone = chip.simulate().time_ps
        two.write(np.ones((8, 8), np.int8))
        written = chip.simulate().time_ps
        assert written == alone * (1 if overlap else 2)
        for crossbar in (one, two):  # what is stored is waited for on any chip
            crossbar.gemm(np.ones((5, 8), np.int8)).result()
        vector_ps = 1000 * occ.timing.crossbar.read_ns
        assert chip.simulate().time_ps == written + 10 * vector_ps


def test_a_session_without_calls_and_one_that_is_not_recorded(chip, tmp_path):
    assert chip.simulate().to_dict()["wear"] is None
    forgets = device("tiny", cores=1, backend="numpy", record=False)
    with forgets as other, pytest.raises(InputError, match="does not record: power it on with record=True"):
        other.save(tmp_path / "out")

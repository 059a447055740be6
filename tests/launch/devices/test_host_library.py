"""The C library of compiled hosts: memrefs of any strides, all types, both compilers' calls, and what it says."""

import ctypes
import os
import socket
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from device_hosts import ROOT, TYPES_OF_C, compiled, library, needs_compiler, served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from launch.devices.host.library import SOURCES
from launch.devices.wire import DeviceFrame, DeviceFrameKind

pytestmark = needs_compiler
RNG = np.random.default_rng(11)
KINDS = ("i8", "i16", "i32", "i64", "f32")
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p)


class Host:
    """The library in this process; what it says is kept."""

    def __init__(self, path: Path) -> None:
        self.said: list[tuple[int, str]] = []
        self._library = ctypes.CDLL(str(path))
        self._handler = HANDLER(lambda code, sentence: self.said.append((code, sentence.decode())))
        self._library.emu_device_on_error(self._handler)
        self._library.neuro_alloc.restype = ctypes.c_int64

    def __getattr__(self, name: str):
        """A function that takes arrays as memrefs."""

        def call(*given):
            return getattr(self._library, name)(*[part for each in given for part in arguments(each)])

        return call

    def close(self) -> None:
        self._library.emu_device_close()
        self._library.emu_device_on_error(None)


def arguments(given) -> list:
    """A number, or the arguments that a memref is: it may point anywhere into its buffer."""
    if not isinstance(given, np.ndarray):
        return [ctypes.c_int64(given)]
    each = given.dtype.itemsize
    base = given.base if isinstance(given.base, np.ndarray) else given
    begin = base.ctypes.data
    offset, rest = divmod(given.ctypes.data - begin, each)
    assert not rest
    numbers = [offset, *given.shape, *(stride // each for stride in given.strides)]
    return [ctypes.c_void_p(begin), ctypes.c_void_p(begin), *map(ctypes.c_int64, numbers)]


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    library(folder)
    return folder


@pytest.fixture
def chip(tmp_path):
    with served(tmp_path, "processes") as one:
        yield one


@pytest.fixture
def host(built, chip, monkeypatch):
    monkeypatch.setenv("EMU_DEVICE", str(chip.path))
    found = Host(library(built))
    yield found
    found.close()


def numbers(*shape, kind="i32"):
    return RNG.integers(-50, 50, shape).astype(TYPES_OF_C[kind])


def product(vectors, matrix):
    return (vectors.astype("i8") @ matrix.astype("i8")).astype(matrix.dtype)


def test_sources_have_300_lines_at_most_and_no_warning(tmp_path):
    sources = [SOURCES / "emu_device.c", SOURCES / "emu_device.h"]
    assert sum(len(source.read_text().splitlines()) for source in sources) <= 300
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-O2"]
    subprocess.run(["cc", *strict, "-c", str(sources[0]), "-o", str(tmp_path / "x.o")], check=True)


@pytest.mark.parametrize("kind", KINDS)
def test_products_of_all_types(host, kind):
    matrix, vectors, vector = numbers(16, 12, kind=kind), numbers(3, 16, kind=kind), numbers(16, kind=kind)
    many, one = np.full((3, 12), 99, matrix.dtype), np.full(12, 99, matrix.dtype)
    getattr(host, f"memristor_write_to_crossbar_{kind}")(1, matrix)
    getattr(host, f"memristor_gemm_{kind}")(1, vectors, many)
    getattr(host, f"memristor_gevm_{kind}")(1, vector, one)
    host.memristor_barrier(1)
    assert np.array_equal(many, product(vectors, matrix)) and np.array_equal(one, product(vector, matrix))
    assert not host.said


def test_f64_is_refused_by_name(host):
    host.memristor_write_to_crossbar_f64(0, np.ones((4, 4)))
    assert host.said[0][0] == 2 and host.said[0][1].startswith("crossbars hold no f64: use one of f32")
    host.memristor_write_to_crossbar_f32(0, np.ones((4, 4), np.float32))
    assert len(host.said) == 1


def test_results_come_with_the_barrier_of_their_crossbar(host):
    matrix, vectors = numbers(8, 8), numbers(5, 8)
    results = [np.zeros((5, 8), np.int32) for _ in range(4)]
    for xbar in (-1, 7):
        host.memristor_write_to_crossbar_i32(xbar, matrix * xbar)
    for xbar, result in zip((-1, 7, -1, 7), results, strict=True):
        host.memristor_gemm_i32(xbar, vectors, result)
    assert not any(result.any() for result in results)
    host.memristor_barrier(7)
    assert [result.any() for result in results] == [False, True, False, True]
    host.memristor_barrier(-1)
    for xbar, result in zip((-1, 7, -1, 7), results, strict=True):
        assert np.array_equal(result, vectors @ matrix * xbar)


def test_a_number_that_is_released_is_free_for_another_matrix_and_has_none(host):
    matrix, vectors, result = numbers(8, 8), numbers(5, 8), np.zeros((5, 8), np.int32)
    host.memristor_write_to_crossbar_i32(3, matrix)
    host.memristor_gemm_i32(3, vectors, result)
    host.memristor_release(3)
    host.memristor_barrier(3)
    assert np.array_equal(result, vectors @ matrix) and not host.said
    host.memristor_gemm_i32(3, vectors, result)
    host.memristor_barrier(3)
    assert "crossbar 3 of the host comes before its matrix" in host.said[0][1]


VIEWS = {
    "rows apart": lambda rows, cols: np.zeros((2 * rows, cols), np.int32)[::2],
    "columns apart": lambda rows, cols: np.zeros((rows, 3 * cols), np.int32)[:, 1::3],
    "transposed": lambda rows, cols: np.zeros((cols, rows), np.int32).T,
    "a part": lambda rows, cols: np.zeros((rows + 3, cols + 5), np.int32)[2:-1, 3:-2],
    "backwards": lambda rows, cols: np.zeros((rows, cols), np.int32)[::-1, ::-1],
    "plain": lambda rows, cols: np.zeros((rows, cols), np.int32),
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(*[st.sampled_from(sorted(VIEWS))] * 3, st.integers(1, 16), st.integers(1, 16), st.integers(0, 4))
def test_strides_are_honoured(host, first, second, third, rows, cols, count):
    matrix, vectors = VIEWS[first](rows, cols), VIEWS[second](count, rows)
    result = VIEWS[third](count, cols)
    matrix[...], vectors[...] = numbers(rows, cols), numbers(count, rows)
    before = None if result.base is None else result.base.copy()
    host.memristor_write_to_crossbar_i32(0, matrix)
    host.memristor_gemm_i32(0, vectors, result)
    host.memristor_barrier(0)
    assert np.array_equal(result, vectors @ matrix) and not host.said
    if before is not None:  # beside the result nothing is changed
        inside = np.zeros_like(before)
        offset, strides = result.ctypes.data - result.base.ctypes.data, result.strides
        places = np.add.outer(np.arange(count) * strides[0], np.arange(cols) * strides[1]).reshape(-1) + offset
        inside.reshape(-1)[places // 4] = 1
        assert not (result.base != before)[inside == 0].any()


def test_a_matrix_and_its_products_may_be_larger_than_any_buffer(built, tmp_path, monkeypatch):
    with served(tmp_path, "sequential", "default", 1) as one:
        monkeypatch.setenv("EMU_DEVICE", str(one.path))
        host = Host(library(built))
        matrix, vectors = numbers(256, 128), numbers(400, 256)
        result = np.zeros((400, 128), np.int32)
        host.memristor_write_to_crossbar_i32(0, matrix.T.copy().T)
        host.memristor_gemm_i32(0, vectors, result)
        host.memristor_gemm_i32(0, vectors, late := np.zeros((128, 400), np.int32).T)
        host.memristor_barrier(0)
        assert np.array_equal(result, vectors @ matrix) and np.array_equal(late, result) and not host.said
        host.close()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda host: host.memristor_gemm_i32(5, numbers(2, 4), numbers(2, 4)), "crossbar 5 of the host comes before"),
        (lambda host: host.memristor_gevm_i32(0, numbers(3), numbers(4)), "holds 4 x 4 i32, and is given vectors of 3"),
        (lambda host: host.memristor_gevm_i8(0, numbers(4, kind="i8"), numbers(4, kind="i8")), "vectors of 4 i8"),
        (lambda host: host.memristor_gemm_i32(0, numbers(2, 4), numbers(3, 4)), "2 rows have no product of 3"),
        (lambda host: host.memristor_write_to_crossbar_i32(3, numbers(99, 99)), "is larger than a core of tiny"),
        (
            lambda host: host.memristor_write_to_crossbar_i32(3, numbers(0, 4)),
            "a matrix of 0 x 4 for crossbar 3 of the host has nothing to write",
        ),
        (lambda host: host.neuro_alloc(-3), "-3 floats cannot be allocated"),
        (lambda host: host.neuro_write_matrix(0, 0, numbers(2, 2, kind="f32")), "into allocation 0, which has 0"),
        (lambda host: host.neuro_matvec(0, 0, *floats(2, (1, 2))), "no matrix of 2 x 2 floats is written at 0"),
    ],
)
def test_a_call_that_cannot_be_done_is_one_sentence_and_the_session_goes_on(host, call, said):
    host.memristor_write_to_crossbar_i32(0, np.eye(4, dtype=np.int32))
    call(host)
    for xbar in (0, 5):
        host.memristor_barrier(xbar)
    ((code, sentence),) = host.said
    assert code == 2 and said in sentence
    result, vectors = numbers(2, 4), numbers(2, 4)
    host.memristor_gemm_i32(0, vectors, result)
    host.memristor_barrier(0)
    assert np.array_equal(result, vectors) and len(host.said) == 1


def floats(*shapes):
    return [RNG.integers(-8, 8, shape).astype(np.float32) for shape in shapes]


def test_a_neuro_product_is_added_to_what_is_there(host):
    handle = host.neuro_alloc(100)
    first, second, inner, outer, other = floats((6, 12), (2, 5), 12, (2, 3), 5)
    host.neuro_write_matrix(handle, 0, first)
    host.neuro_write_matrix(handle, 72, second[:, ::-1])
    wanted = outer + (first @ inner).reshape(2, 3)
    host.neuro_matvec(handle, 0, inner, outer)
    assert np.array_equal(outer, wanted)
    result = np.zeros((2, 2), np.float32)
    host.neuro_matvec(handle, 72, other, result[:, 1:])
    assert np.array_equal(result[:, 1], second[:, ::-1] @ other) and not result[:, 0].any() and not host.said


def test_what_is_written_over_a_matrix_is_no_part_of_it(host, chip):
    handle, other = host.neuro_alloc(40), host.neuro_alloc(40)
    assert (handle, other) == (handle, handle + 1)
    matrices, vector = floats((4, 4), (4, 4), (2, 4), (4, 4)), floats(4)[0]
    for which, offset, matrix in zip((handle, handle, handle, other), (0, 16, 8, 8), matrices, strict=True):
        host.neuro_write_matrix(which, offset, matrix)
    host.neuro_write_matrix(handle, 8, matrices[2] * 2)  # in the same place
    assert sum(chip.free) == 2 * 4 - 3
    for offset in (0, 16):
        held = host.said.copy()
        host.neuro_matvec(handle, offset, vector, np.zeros((1, 4), np.float32))
        there = offset == 16
        assert (host.said == held) is there, (offset, host.said)
    out = np.zeros((1, 2), np.float32)
    host.neuro_matvec(handle, 8, vector, out)
    assert np.array_equal(out[0], 2 * matrices[2] @ vector)


def test_after_hanging_up_the_next_call_begins_anew(host, chip):
    for _ in range(3):
        host.memristor_write_to_crossbar_i32(0, numbers(16, 16))
        host.memristor_gevm_i32(0, numbers(16), numbers(16))
        host.emu_device_close()
    host.memristor_gevm_i32(0, numbers(16), numbers(16))
    host.memristor_barrier(0)
    ((_, sentence),) = host.said
    assert "crossbar 0 of the host comes before its matrix" in sentence


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "EMU_DEVICE names no device: start the program by `emu device -- PROGRAM`"),
        ("", "EMU_DEVICE names no device"),
        ("/nowhere/at/all", "no device at /nowhere/at/all: No such file or directory"),
        ("x" * 108, "EMU_DEVICE is too long for a socket: xxx"),
    ],
)
def test_a_device_that_is_not_there_is_named(built, monkeypatch, value, said):
    monkeypatch.delenv("EMU_DEVICE", raising=False)
    if value is not None:
        monkeypatch.setenv("EMU_DEVICE", value)
    host = Host(library(built))
    host.memristor_write_to_crossbar_i8(0, numbers(2, 2, kind="i8"))
    host.memristor_barrier(0)
    host.close()
    assert len(host.said) == 2 and all(code == 2 and sentence.startswith(said) for code, sentence in host.said)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"", "the device has hung up: it has ended, or was ended"),
        (b"HTTP/1.1 400 Bad Request\r\nServer: other\r\n\r\n", "answers what is no answer"),
        (
            DeviceFrame(DeviceFrameKind.DONE).packed().replace(b"D\1", b"D\2"),
            "it is of another version than this program",
        ),
        (DeviceFrame(DeviceFrameKind.ERROR, length=2**62).packed(), "answers what is no answer"),
        (DeviceFrame(DeviceFrameKind.RESULT, length=2**62).packed(), "answers what is no answer"),
        (DeviceFrame(DeviceFrameKind.ERROR, flags=2, length=9).packed() + b"no room", "the device has hung up"),
    ],
)
def test_an_answer_that_is_none_is_named(built, tmp_path, monkeypatch, answer, said):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()

        def once():
            end, _ = listener.accept()
            with end:
                end.sendall(answer)

        thread = threading.Thread(target=once)
        thread.start()
        monkeypatch.setenv("EMU_DEVICE", str(tmp_path / "s"))
        host = Host(library(built))
        host.memristor_write_to_crossbar_i8(0, numbers(2, 2, kind="i8"))
        thread.join()
        host.close()
    ((code, sentence),) = host.said
    assert code == 2 and said in sentence


HOST = """
#include <emu_device.h>
#include <stdio.h>
int main(void) {
    int32_t a[4] = {1, 2, 3, 4}, r[2];
    memristor_write_to_crossbar_i32(0, a, a, 0, 2, 2, 2, 1);
    memristor_gevm_i32(0, a, a, 0, 2, 1, r, r, 0, 2, 1);
    memristor_barrier(0);
    printf("%d %d\\n", r[0], r[1]);
    memristor_gevm_i32(1, a, a, 0, 2, 1, r, r, 0, 2, 1);
    memristor_barrier(1);
    puts("never");
    return 0;
}
"""


def test_without_a_handler_a_program_ends_with_the_sentence(built, chip, tmp_path):
    (tmp_path / "host.c").write_text(HOST)
    program = compiled(tmp_path / "host.c", built, tmp_path / "host")
    variables = os.environ | {"EMU_DEVICE": str(chip.path)}
    done = subprocess.run([program], env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "7 10\n")
    assert done.stderr.splitlines() == [
        "error: a product with crossbar 1 of the host comes before its matrix: write one first"
    ]
    busy = Host(library(built))
    os.environ["EMU_DEVICE"] = str(chip.path)
    try:
        busy.memristor_write_to_crossbar_i32(0, numbers(2, 2))
        done = subprocess.run([program], env=variables, capture_output=True, text=True)
    finally:
        busy.close()
        del os.environ["EMU_DEVICE"]
    assert done.returncode == 2 and "the device serves another host program" in done.stderr


@pytest.mark.parametrize("name", ["tiled", "neuro"])
def test_examples_are_right_on_four_core_processes(built, tmp_path, name):
    program = compiled(ROOT / "examples" / "device" / f"{name}.c", built, tmp_path / name)
    with served(tmp_path, "processes", "default", 4) as one:
        words = ["130", "70", "200"] if name == "tiled" else []
        done = subprocess.run(
            [program, *words], env=os.environ | {"EMU_DEVICE": str(one.path)}, capture_output=True, text=True
        )
        assert done.returncode == 0 and not done.stderr, done
        assert "right" in done.stdout and "WRONG" not in done.stdout
        if name == "tiled":
            plain, interchanged = (int(line.split()[1]) for line in done.stdout.splitlines())
            assert plain == 3 * interchanged == 24  # ceil(130 / 64) times
            assert one.chip.counters.writes == 32
            assert {crossbar.core for crossbar in one.chip.crossbars} == {0, 1, 2, 3}

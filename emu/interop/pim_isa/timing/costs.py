"""What each operation of a core takes, as columns: bytes, words, flits and picoseconds, before anything waits.

Formulas: pimsim-nn (`Memory`, `VectorUnit`, `XbarArray`, `ArrayGroup`, `TransferUnit`, `ExecInfo`). A real number x of
ns is floor(1000 x + 1/2) ps, for each single delay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from emu.errors import ProgramError
from emu.interop.pim_isa.format.checks import MAX_BYTES
from emu.interop.pim_isa.format.config import ChipConfig, MatrixConfig, MemoryConfig
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.isa import TWO_SOURCES, PimUnit
from emu.interop.pim_isa.timing.operations import Operations, operations
from emu.interop.pim_isa.timing.ranges import ranges

LONGEST = float(1 << 53)  # picoseconds of one delay, two and a half hours: up to here real numbers are exact
LONGEST_IN_ALL = float(1 << 57)  # of all operations of a core
_OUTPUT_WRITTEN = ("vvmul", "vvsll", "vvsra", "vtanh", "vsigm", "vrsu", "vrsl")


@dataclass(frozen=True, slots=True)
class OpCosts:
    """Columns of equal length, one row per operation (instructions that reach a unit), in program order; all int64.

    `reads` operands of `read_words` words and `read_ps` each, then `compute_ps`, then a write of `write_words`,
    `write_ps`: of the local memory. `global_words`, `global_ps`: of the global memory. `flits`: of the message with
    data. `passes`: crossbars times steps of input bits and row groups. `steps`: of the vector unit. Bytes that are
    read and written, for conflicts: [register + *_offset, that + *_bytes], closed; -1: there is no such range.
    """

    index: np.ndarray
    op: np.ndarray
    unit: np.ndarray
    group: np.ndarray
    peer: np.ndarray
    event: np.ndarray
    value: np.ndarray
    reads: np.ndarray
    read_words: np.ndarray
    read_ps: np.ndarray
    compute_ps: np.ndarray
    write_words: np.ndarray
    write_ps: np.ndarray
    global_words: np.ndarray
    global_ps: np.ndarray
    flits: np.ndarray
    passes: np.ndarray
    steps: np.ndarray
    rs1_offset: np.ndarray
    rs1_bytes: np.ndarray
    rs2_offset: np.ndarray
    rs2_bytes: np.ndarray
    rd_offset: np.ndarray
    rd_bytes: np.ndarray


def picoseconds(ns: float) -> int:
    """A real number of nanoseconds as the simulator's kernel rounds it."""
    return int(1000.0 * ns + 0.5)


def op_costs(columns: CoreColumns, groups: tuple[int, ...], chip: ChipConfig, where: str) -> OpCosts:
    """The costs of the operations of a core; raises ProgramError if they are beyond all measure."""
    core, matrix, memory = chip.core_config, chip.core_config.matrix_config, chip.global_memory_config
    rows = operations(columns, groups, matrix)
    read, written = _read_bytes(rows, matrix), _written_bytes(rows)
    _refuse(np.maximum(read, written) > MAX_BYTES, rows, where, f"more than {MAX_BYTES} bytes at once")
    local = core.local_memory_config
    words = {
        "read_words": _words(read, local),
        "write_words": _words(written, local),
        "global_words": _words(np.where(rows.are("ld", "st"), rows.size, 0), memory),
    }
    steps = -(-np.where(rows.of(PimUnit.VECTOR), rows.length, 0) // core.vector_width)
    depth = rows.input_bits // matrix.dac_resolution * (matrix.xbar_size[0] // matrix.dac_count)
    of_access = np.where(rows.are("st"), memory.write_latency_cycle, memory.read_latency_cycle)
    product = rows.of(PimUnit.MATRIX)
    compute_ns = np.where(product, _product_ns(matrix, depth), steps * float(core.vector_latency_cycle))
    times = {
        "read_ps": _rounded(words["read_words"] * float(local.read_latency_cycle) * local.period),
        "compute_ps": _rounded(compute_ns),
        "write_ps": _rounded(words["write_words"] * float(local.write_latency_cycle) * local.period),
        "global_ps": _rounded(words["global_words"] * of_access.astype(np.float64) * memory.period),
    }
    _refuse_endless(times, rows, where)
    data = np.select([rows.are("send", "st"), rows.are("ld")], [rows.size, 1], 0)
    return OpCosts(
        index=rows.index,
        op=rows.op.astype(np.int64),
        unit=rows.unit,
        group=rows.group,
        peer=columns.core[rows.index].astype(np.int64),
        event=columns.event_register[rows.index].astype(np.int64),
        value=columns.wait_value[rows.index].astype(np.int64),
        reads=np.select([rows.are(*TWO_SOURCES), ~rows.are("recv", "ld", "lldi", "sync", "wait")], [2, 1], 0),
        flits=-(-data // chip.network_config.bus_width),
        passes=np.where(product, rows.crossbars * depth, 0),
        steps=steps,
        **words,
        **{name: time.astype(np.int64) for name, time in times.items()},
        **ranges(rows, matrix.xbar_size[0]),
    )


def _read_bytes(rows: Operations, matrix: MatrixConfig) -> np.ndarray:
    """Of each operand that is read from the local memory; a product reads its inputs eight times."""
    kinds = [rows.of(PimUnit.MATRIX), rows.of(PimUnit.VECTOR), rows.are("send", "st"), rows.are("lmv")]
    inputs = 8 * matrix.xbar_size[0] * rows.input_bytes
    return np.select(kinds, [inputs, rows.length * rows.input_bytes, rows.size, rows.length], 0)


def _written_bytes(rows: Operations) -> np.ndarray:
    """To the local memory; also a dot product and a mean write a whole vector."""
    by_output, vector = rows.are(*_OUTPUT_WRITTEN), rows.of(PimUnit.VECTOR)
    kinds = [rows.of(PimUnit.MATRIX), by_output, vector, rows.are("recv", "ld"), rows.are("lldi", "lmv")]
    vectors = (rows.length * width for width in (rows.output_bytes, rows.input_bytes))
    return np.select(kinds, [rows.written, *vectors, rows.size, rows.length], 0)


def _words(data: np.ndarray, memory: MemoryConfig) -> np.ndarray:
    """Of that many bytes, in words of the memory."""
    return -(-data // memory.data_width)


def _rounded(ns: np.ndarray) -> np.ndarray:
    """Picoseconds of single delays, still as real numbers: whole ones up to 2^53."""
    return np.floor(1000.0 * ns + 0.5)


def _product_ns(matrix: MatrixConfig, depth: np.ndarray) -> np.ndarray:
    """Of a product that needs `depth` passes: converters in, crossbar, converters out, pipelined or not."""
    crossbar = math.ceil(matrix.xbar_latency / matrix.period)
    front = matrix.dac_latency_cycle + crossbar + matrix.sample_hold_latency_cycle
    tail = matrix.shift_adder_latency_cycle + matrix.output_buffer_latency_cycle
    rounds = matrix.xbar_size[1] // matrix.adc_count
    back = matrix.adc_latency_cycle + tail + (rounds - 1) * max(matrix.adc_latency_cycle, tail)
    passes = depth.astype(np.float64)
    cycles = front + back + (passes - 1) * max(front, back) if matrix.pipeline_mode else passes * (front + back)
    return cycles * matrix.period


def _refuse_endless(times: dict[str, np.ndarray], rows: Operations, where: str) -> None:
    for time in times.values():
        _refuse(time >= LONGEST, rows, where, "more than two hours of simulated time at once")
    if sum(float((time * 2).sum()) for time in times.values()) >= LONGEST_IN_ALL:
        raise ProgramError(f"{where}: its operations take more than a day of simulated time")


def _refuse(wrong: np.ndarray, rows: Operations, where: str, what: str) -> None:
    if wrong.any():
        raise ProgramError(f"{where}, instruction {int(rows.index[np.argmax(wrong)])}: {what}")

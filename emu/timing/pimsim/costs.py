"""What each operation of a core takes, as columns: bytes, words, flits and picoseconds, before anything waits.

Formulas: pimsim-nn (`Memory`, `VectorUnit`, `XbarArray`, `ArrayGroup`, `TransferUnit`, `ExecInfo`). A real number x of
ns is floor(1000 x + 1/2) ps, for each single delay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emu.errors import ProgramError
from emu.foreign.pimsim.checks import MAX_BYTES, element_bytes
from emu.foreign.pimsim.config import ChipConfig, MatrixConfig, MemoryConfig
from emu.foreign.pimsim.ops import TWO_SOURCES, UNIT_OF, Unit, among
from emu.foreign.pimsim.program import CoreColumns

NS = 1000  # picoseconds
LONGEST = float(1 << 53)  # picoseconds of one delay: more than 100 days
_OUTPUT_WRITTEN = ("vvmul", "vvsll", "vvsra", "vtanh", "vsigm", "vrsu", "vrsl")
_OUTPUT_RANGE = (*_OUTPUT_WRITTEN, "vvdmul", "vrelu")
_INPUT_OFFSET = ("vvadd", "vvsub", "vvmax", "vrelu")


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
    """The costs of the operations of a core; raises ProgramError if one of them is beyond all measure."""
    index = np.flatnonzero(UNIT_OF[columns.op])
    inputs_bits, _, inputs, outputs = (width[index] for width in element_bytes(columns))
    op, unit = columns.op[index], UNIT_OF[columns.op[index]].astype(np.int64)
    pick = {name: getattr(columns, name)[index].astype(np.int64) for name in ("len", "size", "mbiw", "group")}
    core, matrix = chip.core_config, chip.core_config.matrix_config
    local, vector, product = core.local_memory_config, unit == Unit.VECTOR, unit == Unit.MATRIX
    crossbars = np.array([*groups, 0], np.int64)[np.where(product, pick["group"], -1)]
    rows, cols = matrix.xbar_size
    written = np.where(product, matrix.cell_precision * cols // np.maximum(pick["mbiw"], 1), 0) * outputs * crossbars

    elements = np.where(vector, pick["len"], 0)
    moved = np.where(among(op, "lldi", "lmv"), pick["len"], 0)
    read_bytes = np.select(
        [product, vector, among(op, "send", "st"), among(op, "lmv")],
        [8 * rows * inputs, elements * inputs, pick["size"], moved],
        0,
    )
    write_bytes = np.select(
        [product, among(op, *_OUTPUT_WRITTEN), vector, among(op, "recv", "ld"), among(op, "lldi", "lmv")],
        [written, elements * outputs, elements * inputs, pick["size"], moved],
        0,
    )
    _refuse_more(np.maximum(read_bytes, write_bytes) > MAX_BYTES, index, where, f"more than {MAX_BYTES} bytes")
    steps = -(-elements // core.vector_width)
    depth = inputs_bits // matrix.dac_resolution * (rows // matrix.dac_count)
    cycles = np.where(product, _product_cycles(matrix, depth), 0)
    of_global = np.where(among(op, "ld", "st"), pick["size"], 0)
    memory = chip.global_memory_config
    of_access = np.where(among(op, "st"), memory.write_latency_cycle, memory.read_latency_cycle)
    times = [
        _delays(local, words(read_bytes, local), local.read_latency_cycle),
        _rounded(np.where(product, cycles * matrix.period, steps * float(core.vector_latency_cycle))),
        _delays(local, words(write_bytes, local), local.write_latency_cycle),
        _delays(memory, words(of_global, memory), of_access),
    ]
    for time in times:
        _refuse_more(time >= LONGEST, index, where, "more than 100 days of simulated time")
    read_ps, compute_ps, write_ps, global_ps = (time.astype(np.int64) for time in times)
    data = np.where(among(op, "send", "st"), pick["size"], np.where(among(op, "ld"), 1, 0))
    return OpCosts(
        index=index,
        op=op.astype(np.int64),
        unit=unit,
        group=pick["group"],
        peer=columns.core[index].astype(np.int64),
        event=columns.event_register[index].astype(np.int64),
        value=columns.wait_value[index].astype(np.int64),
        reads=np.select([among(op, *TWO_SOURCES), product | vector | among(op, "send", "st", "lmv")], [2, 1], 0),
        read_words=words(read_bytes, local),
        read_ps=read_ps,
        compute_ps=compute_ps,
        write_words=words(write_bytes, local),
        write_ps=write_ps,
        global_words=words(of_global, memory),
        global_ps=global_ps,
        flits=-(-data // chip.network_config.bus_width),
        passes=np.where(product, crossbars * depth, 0),
        steps=steps,
        **_ranges(columns, index, op, pick, inputs, outputs, rows, written),
    )


def _ranges(
    columns: CoreColumns,
    index: np.ndarray,
    op: np.ndarray,
    pick: dict[str, np.ndarray],
    inputs: np.ndarray,
    outputs: np.ndarray,
    rows: int,
    written: np.ndarray,
) -> dict[str, np.ndarray]:
    """Offsets and bytes of what an operation reads and writes, as the reorder buffer compares them."""
    unit, none = UNIT_OF[op], np.full(len(index), -1, np.int64)
    product, vector, transfer = (unit == kind for kind in (Unit.MATRIX, Unit.VECTOR, Unit.TRANSFER))
    select, value = (getattr(columns, name)[index].astype(np.int64) for name in ("offset_select", "offset_value"))
    to_rd = np.where(select & 1, value, 0)
    to_rs1, to_rs2 = np.where(value & 2, value, 0), np.where(value & 4, value, 0)  # the value, not the selection
    plain = among(op, "vmv")
    fixed_rs2 = plain | among(op, "vavg", "vrsu", "vrsl")
    fixed_rd = plain | among(op, "vavg", "vvdmul")
    rd_unit = np.select([transfer, fixed_rd | product, among(op, *_INPUT_OFFSET)], [1, 0, inputs], outputs)
    vectors, size = pick["len"] * inputs, pick["size"]
    return {
        "rs1_offset": to_rs1 * np.select([transfer, vector & ~plain], [1, inputs], 0),
        "rs1_bytes": np.select(
            [product, vector & ~plain, among(op, "st", "send", "lmv")], [rows * inputs, vectors, size], none
        ),
        "rs2_offset": to_rs2 * np.where(vector & ~fixed_rs2, inputs, 0),
        "rs2_bytes": np.where(among(op, *TWO_SOURCES, "vrsu", "vrsl"), vectors, none),
        "rd_offset": to_rd * rd_unit,
        "rd_bytes": np.select(
            [
                product,
                among(op, *_OUTPUT_RANGE),
                among(op, "vavg"),
                vector & ~plain,
                among(op, "ld", "recv", "lmv"),
                among(op, "lldi"),
            ],
            [written, pick["len"] * outputs, outputs, vectors, size, np.ones_like(size)],
            none,
        ),
    }


def words(data: np.ndarray, memory: MemoryConfig) -> np.ndarray:
    """Of that many bytes, in words of the memory."""
    return -(-data // memory.data_width)


def _delays(memory: MemoryConfig, count: np.ndarray, cycles: np.ndarray | int) -> np.ndarray:
    return _rounded(count * cycles * memory.period)


def _rounded(ns: np.ndarray) -> np.ndarray:
    """Picoseconds of single delays, still as real numbers."""
    return np.floor(1000.0 * ns + 0.5)


def _product_cycles(matrix: MatrixConfig, depth: np.ndarray) -> np.ndarray:
    """Cycles of a product that needs `depth` passes: converters in, crossbar, converters out, pipelined or not."""
    front = (
        matrix.dac_latency_cycle + int(np.ceil(matrix.xbar_latency / matrix.period)) + matrix.sample_hold_latency_cycle
    )
    tail = matrix.shift_adder_latency_cycle + matrix.output_buffer_latency_cycle
    rounds = matrix.xbar_size[1] // matrix.adc_count
    back = matrix.adc_latency_cycle + tail + (rounds - 1) * max(matrix.adc_latency_cycle, tail)
    if matrix.pipeline_mode:
        return front + back + (depth - 1) * max(front, back)
    return (front + back) * depth


def _refuse_more(wrong: np.ndarray, index: np.ndarray, where: str, what: str) -> None:
    if wrong.any():
        raise ProgramError(f"{where}, instruction {int(index[np.argmax(wrong)])}: {what} at once")

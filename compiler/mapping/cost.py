"""What work takes on a core, for whatever decides where it goes: products, vector work behind them, what is sent.

Where a chip's description has times, they are those of its cost model; else they are those of no chip in particular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import Operation, SSAValue

from compiler.dialects import attributes as attr
from compiler.dialects import spat
from compiler.emission.nest_steps import CHUNK
from compiler.kernels.kernel import Kernel
from compiler.kernels.nest import NestOp
from compiler.kernels.pool import PoolOp
from compiler.kernels.recurrent import RecurrentOp
from emu.arch import Arch
from emu.errors import ArchError
from emu.isa.dtypes import DType
from emu.timing.chip.product import model_of, product_ns

WRITE_NS = 1000  # of a word line of cells on a chip without figures: they are programmed and verified


@dataclass(frozen=True, slots=True)
class PixelPrices:
    """Nanoseconds of a pixel on a core: of its first array group, of each further one, and of each row tile.

    `vector` is that of an instruction on a vector that is one word of local memory: read, one pass, write. What is sent
    takes `byte` and `message`.
    """

    product: float
    group: float
    row: float
    vector: float
    byte: float
    message: float

    def pixel(self, rows: int, columns: int) -> float:
        """From pixel to pixel, of row tiles and column tiles of one core."""
        return self.product + self.group * (columns - 1) + self.row * rows

    def sent(self, nbytes: int, messages: int) -> float:
        """Of all that is sent, one message after another."""
        return self.byte * nbytes + self.message * messages


@dataclass(frozen=True, slots=True)
class LayerTime:
    """What parts of a layer take on a core: so many `pixels` per sample, and vector work `behind` each column tile."""

    prices: PixelPrices
    pixels: float
    behind: float

    def nanoseconds(self, rows: int, columns: int) -> float:
        """Of a part of so many row tiles and column tiles, per sample."""
        return self.pixels * self.prices.pixel(rows, columns) + self.behind * columns


# Between published chips, for which programs are compiled, and an emulation of them by processes, where a message costs
# more and a product less. Only the ratios decide anything.
NOMINAL = PixelPrices(
    product=2000,  # ISAAC publishes 1600 ns for a product of 16-bit inputs, PUMA 2304
    group=1000,  # PUMA's core multiplies with one at a time, ISAAC's with all at once
    row=60,  # the inputs of a row tile are gathered and read, at 32 bytes in 2 to 3 ns
    vector=50,  # as far from the product as ISAAC's are
    byte=2,  # links of both chips take 4 bytes per ns, processes up to 2 ns for each
    message=50_000,  # next to nothing on a chip, some 100 us between processes
)


def prices_of(arch: Arch, kind: DType) -> PixelPrices:
    """Those of a chip, with weights of type `kind`; `NOMINAL` where a figure of its products is missing."""
    vector = vector_ns(arch)
    try:
        product = product_ns(arch, _bits(arch, kind))
    except ArchError:  # a figure is missing
        return NOMINAL
    further = 0 if model_of(arch).together else product
    return replace(NOMINAL, product=product + vector, group=further + vector, row=2 * vector, vector=vector)


def writing_ns(arch: Arch, kind: DType, crossbars: int, cores: int) -> float:
    """Nanoseconds until all cores have written so many logical crossbars each, with weights of type `kind`.

    The cores write at the same time; what they write comes from one global memory.
    """
    timing = arch.timing
    if timing is None:
        return WRITE_NS * arch.crossbar.rows * crossbars
    memory = timing.global_memory
    words = -(-arch.crossbar.rows * arch.columns(kind) * kind.size // (memory.width_bytes or 1))
    loading = (memory.read_ns or 0) * words if memory.width_bytes else 0
    return crossbars * (arch.crossbar.rows * (timing.crossbar.write_row_ns or 0) + cores * loading)


def vector_ns(arch: Arch) -> float:
    """Nanoseconds of an instruction on a short vector, as in `PixelPrices`."""
    timing = arch.timing
    if timing is None or timing.vector.pass_ns is None:
        return NOMINAL.vector
    memory = timing.local_memory
    return (memory.read_ns or 0) + timing.vector.pass_ns + (memory.write_ns or 0)


def behind_ns(arch: Arch, ops: Sequence[Operation], weighted: Sequence[spat.LayerOp]) -> list[float]:
    """Nanoseconds of vector work that follows each of the `weighted` layers on its core, per column tile and sample.

    A layer without weights works where the operand was made that comes last.
    """
    index = {layer: number for number, layer in enumerate(weighted)}
    owner, found = dict[SSAValue, int](), [0.0] * len(weighted)
    for op in ops:
        here = index.get(op, -1) if isinstance(op, spat.LayerOp) else -1
        if here < 0:
            here = max((owner.get(value, -1) for value in op.operands), default=-1)
            if here >= 0 and isinstance(op, spat.LayerOp):
                found[here] += vector_ns(arch) * _instructions(op)
        owner.update(dict.fromkeys(op.results, here))
    return found


def within_ns(arch: Arch, layer: spat.LayerOp) -> float:
    """Nanoseconds of vector work of a layer that stays whole, per sample."""
    return vector_ns(arch) * _instructions(layer)


def _instructions(layer: spat.LayerOp) -> float:
    """Vector instructions of a layer on one column tile: what broadcasts along the channels has them for each pixel."""
    total = 0.0
    for kernel in layer.body.block.ops:
        if isinstance(kernel, RecurrentOp):
            steps = sum(len(plan.steps) for _, _, plan in kernel.plans)
            steps += sum(function.gates[1] - function.gates[0] for function in kernel.functions)
            total += kernel.output_shapes[0][0] * kernel.batch * steps * -(-kernel.size // CHUNK)
        elif isinstance(kernel, PoolOp):
            total += prod(kernel.output_shapes[0][:-1]) * prod(attr.values(kernel.kernel))
        elif isinstance(kernel, NestOp):
            vectors = prod(kernel.output_shapes[0][:-1]) if kernel.arrays else kernel.nest.points / CHUNK
            total += vectors * len(kernel.plan.steps)
        elif isinstance(kernel, Kernel):
            total += kernel.output_shapes[0][0]
    return total


def _bits(arch: Arch, kind: DType) -> int:
    """Bits of an input that is multiplied with weights of type `kind`."""
    wide = arch.timing.float_bits if arch.timing is not None and kind.is_float else None
    return wide or 8 * kind.size

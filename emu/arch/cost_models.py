"""Published cost models: how long a product of an array group takes by a chip's figures; a function and a row each.

Each formula stands here once. By it programs are timed, in picoseconds, with what each product reads and writes; and
peaks of chips are computed, in nanoseconds as descriptions write them, of products that read and write nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_READ, _CONVERT = "timing.crossbar.read_ns", "timing.adc.convert_ns"
_DRIVE, _HOLD = "timing.dac.latency_ns", "timing.sample_hold.latency_ns"
_ADD, _PUT = "timing.shift_add.latency_ns", "timing.output_register.latency_ns"


@dataclass(frozen=True, slots=True)
class Product:
    """One product of a group. All its arrays work at once: tiles of rows and columns, and bit slices of the weights.

    `slices` of the input bits follow each other, in each `drives` groups of word lines driven together, and for each of
    these every converter makes `conversions`. `words` pass the bus, of inputs and outputs.
    """

    slices: int
    drives: int
    conversions: int
    words: int

    @property
    def steps(self) -> int:
        """How often each array is read."""
        return self.slices * self.drives


@dataclass(frozen=True, slots=True)
class Figures:
    """Of a chip: how long what a key (`timing.adc.convert_ns`) names takes, 0 if not known; and `timing.pipelined`."""

    lasts: Callable[[str], Any]
    pipelined: bool

    @property
    def special(self) -> Any:
        """A pass of a function such as sigmoid; that of any pass if the chip does not tell."""
        return self.lasts("timing.vector.special_ns") or self.lasts("timing.vector.pass_ns")

    def bus(self, product: Product) -> Any:
        """Moving the inputs of a product to its arrays, and its outputs back."""
        return product.words * self.lasts("timing.bus.word_ns")


@dataclass(frozen=True, slots=True)
class ProductTime:
    """What a product takes, for all products of a group or [products].

    `compute` lies between reading and writing. The MVM units are `active` for so long, and take the next product after
    as long and what is `around` that at best. An array group takes it after `interval`, from the end of reading on (if
    that is negative, at once); with None when the product is finished.
    """

    compute: Any
    active: Any
    interval: Any = None
    around: Any = 0


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its name in `timing.model`: where it comes from; the figures that it cannot do without.

    `product` is given what each product takes to read from local memory and to write. `window` holds where a chip names
    none (`timing.window`). `together`: the array groups of a core multiply at the same time.
    """

    name: str
    source: str
    product: Callable[[Figures, Product, Any, Any], ProductTime]
    keys: tuple[str, ...] = (_READ, _CONVERT)
    window: int = 1
    together: bool = False


def _pipeline(chip: Figures, product: Product, read: Any, write: Any) -> ProductTime:
    """For each slice of the input bits a front (drive, read, hold) and a back (convert, add, put out).

    `XbarArray` of pimsim-nn. If the chip is pipelined, the front of a step overlaps with the back of the one before.
    """
    convert, add = chip.lasts(_CONVERT), chip.lasts(_ADD) + chip.lasts(_PUT)
    front = chip.lasts(_DRIVE) + chip.lasts(_READ) + chip.lasts(_HOLD)
    back = convert + add + (product.conversions - 1) * max(convert, add)
    overlapped = front + back + (product.steps - 1) * max(front, back)
    active = overlapped if chip.pipelined else (front + back) * product.steps
    around = chip.lasts("timing.input_register.latency_ns") + chip.bus(product)
    return ProductTime(active + around, active, around=around)


def _isaac(chip: Figures, product: Product, read: Any, write: Any) -> ProductTime:
    """ISAAC (Shafiee et al., ISCA 2016), section VI: a pipeline of cycles, 22 for a product of 16-bit inputs.

    Cycle 1 reads the eDRAM into the input register, 2 to 17 read the arrays bit by bit, 18 converts the last, 19 and 20
    shift and add and put out, 21 is the sigmoid, 22 writes the eDRAM. A product may follow 16 cycles after the last.
    Reading and writing take whole cycles; conversions hide behind the next read if they are as fast. Programs of a tile
    are scheduled statically: only operands and units are in the way of what is next, for which a window of 16 stands.
    """

    def rest(times: Any) -> Any:
        """What is missing to whole cycles, and to one at least."""
        return (cycle and -(-(times + (times == 0)) // cycle) * cycle) - times

    cycle = max(chip.lasts(_READ), product.conversions * chip.lasts(_CONVERT))
    active = product.steps * cycle
    stages = chip.lasts(_ADD) + chip.lasts(_PUT) + chip.special
    compute = active + cycle + stages + rest(read) + rest(write)
    return ProductTime(compute, active, active - read)


def _puma(chip: Figures, product: Product, read: Any, write: Any) -> ProductTime:
    """PUMA (Ankit et al., ASPLOS 2019), as its simulator has it: input slices + 3 - 1 stages (read, convert, add).

    Each is as long as converting all bit lines of an array (puma-simulator, src/ima.py): 2304 ns for 16-bit inputs and
    128 columns at 1 ns. The bus is beside that: the paper's peak is that of the MVM units alone.
    """
    stage = max(chip.lasts(_READ), product.conversions * chip.lasts(_CONVERT))
    active = (product.steps + 2) * stage
    return ProductTime(active + chip.bus(product), active)


def _cim_mlc(chip: Figures, product: Product, read: Any, write: Any) -> ProductTime:
    """CIM-MLC (Qu et al., ASPLOS 2024): a product takes a read of its crossbars for each slice of the input bits.

    And that for each group of word lines that may be driven at a time; the paper counts these reads as cycles,
    conversion included. Operands are read while the product before is computed.
    """
    active = product.steps * chip.lasts(_READ)
    return ProductTime(active + chip.bus(product), active, active - read)


COST_MODELS: Mapping[str, Model] = {
    model.name: model
    for model in (
        Model(
            "pipeline",
            "front and back of each step, overlapped or not, as XbarArray of pimsim-nn; one product after the other",
            _pipeline,
            (_READ, _CONVERT, "timing.pipelined", _DRIVE, _HOLD, _ADD, _PUT),
            together=True,
        ),
        Model(
            "isaac",
            "Shafiee et al., ISCA 2016, section VI: cycles of a crossbar read",
            _isaac,
            window=16,
            together=True,
        ),
        Model(
            "puma", "Ankit et al., ASPLOS 2019, and its simulator: (input slices + 2) conversions of an array", _puma
        ),
        Model(
            "cim-mlc",
            "Qu et al., ASPLOS 2024: input slices x groups of word lines, a read of the crossbars each",
            _cim_mlc,
            (_READ,),
            window=16,
            together=True,
        ),
    )
}
GENERIC = "pipeline"  # of a chip that names none

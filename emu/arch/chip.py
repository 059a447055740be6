"""What a chip is: frozen descriptions of crossbar, core, memories and network, each key with what it may be."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any

from emu.arch.analog import CellMapping, Device, Draws, Faults, Wires
from emu.arch.checks import Functions, NumberCheck, Real, TextCheck, kinds_in
from emu.arch.key import COUNT, FLAG, TEXT, key, values_of
from emu.arch.mode import MODES, WORKING, Control, refusal
from emu.arch.network import Network
from emu.arch.ranges import Ranges
from emu.arch.system import System
from emu.errors import ArchError
from emu.isa.dtypes import DType
from emu.wording import counted

if TYPE_CHECKING:
    from emu.arch.figures import Area, Energy, Published, Timing

FIGURES = ("timing", "energy", "area", "published")  # tables that a description may not have
PHYSICS = ("mapping", "device", "faults", "wires", "draws", "ranges")  # of what products are, if they are analog
BINDINGS = ("crossbars", "columns")
MAX_CORES = 1 << 16


def _fills(size: int, total: int, what: str, plural: str = "") -> str:
    """What is wrong with parts of `size` that do not fill what they are parts of."""
    return f"{size} does not divide the {counted(total, what, plural)} that there are" if total % size else ""


def _within(count: int, lines: int, line: str) -> str:
    """What is wrong with more of something than a crossbar has lines."""
    return f"{count} exceeds the {counted(lines, line)} of a crossbar" if count > lines else ""


@dataclass(frozen=True, slots=True)
class Crossbar:
    """One array: wordlines x bitlines. `cell_bits` 0 is an ideal cell that holds one whole weight.

    The slices of a weight that takes several cells stand in as many `crossbars`, or in `columns` of one side by side.
    """

    rows: int = key(NumberCheck(1, 1 << 16), "word lines: inputs of one crossbar", 128)
    cols: int = key(NumberCheck(1, 1 << 16), "bit lines: outputs of one crossbar", 128)
    cell_bits: int = key(
        NumberCheck(0, 64),
        "bits that one cell holds: a weight of n bits takes (n - 1) / cell_bits cells, rounded up (the sign apart),"
        " or n / cell_bits if its type has no sign, which is a matter of room and changes no product; 0: one cell"
        " holds any weight",
        0,
    )
    weight_binding: str = key(
        TextCheck(BINDINGS),
        'where the cells of a weight stand: `"crossbars"`: in as many crossbars, which counts against'
        ' `core.crossbars`; `"columns"`: side by side in one crossbar, which holds fewer columns of weights and whose'
        " word lines lead past all of their cells",
        "crossbars",
        implied=True,
    )
    cell_type: str | None = key(TEXT, "what a cell is made of, such as ReRAM or SRAM: a remark for people")
    dac_bits: int | None = key(NumberCheck(1, 64), "input bits that a word line takes at a time")
    dac_count: int | None = key(
        COUNT,
        "converters for the word lines of one crossbar; without it one per word line",
        conflict=lambda crossbar, arch: _within(crossbar.dac_count, crossbar.rows, "word line"),
    )
    adc_bits: int | None = key(NumberCheck(1, 64), "bits of one conversion of a bit line")
    adc_count: int | None = key(
        COUNT,
        "converters for the bit lines of one crossbar; without it one per bit line",
        conflict=lambda crossbar, arch: _within(crossbar.adc_count, crossbar.cols, "bit line"),
    )
    adc_arrays: int | None = key(
        COUNT,
        "crossbars of an MVM unit that take turns with the same converters (`adc_count`), so that each waits as many"
        " times as long; without it each has its own",
        conflict=lambda crossbar, arch: _fills(
            crossbar.adc_arrays,
            arch.core.crossbars_per_mvmu or 1,
            "crossbar of an MVM unit",
            "crossbars of an MVM unit",
        ),
    )
    endurance: int | None = key(NumberCheck(1, 10**15), "writes that a cell takes before it fails")
    parallel_rows: int | None = key(
        COUNT,
        "word lines that may be driven at a time; without it as many as have a converter",
        conflict=lambda crossbar, arch: _within(crossbar.parallel_rows, crossbar.rows, "word line"),
    )
    differential: bool | None = key(
        FLAG,
        "whether a weight is the difference of two cells, in two crossbars that are read together and converted once:"
        " each matrix takes twice the crossbars, each write twice the cells",
        compiled=True,
    )
    kind: str | None = key(
        TextCheck(kinds_in("emu.core.crossbars.kinds")),
        'what a product gives: `"ideal"`: the exact one, without errors of cells and converters; `"analog"`: what they'
        " give, as `[mapping]`, `[device]`, `[faults]` and `[wires]` say; without it `ideal`",
    )

    @property
    def driven_rows(self) -> int:
        """Word lines that one read of the array takes at most."""
        return min(self.rows, self.dac_count or self.rows, self.parallel_rows or self.rows)

    def conversions(self, columns: int) -> int:
        """Conversions that each converter makes of one read of arrays in which so many bit lines are in use."""
        return -(-columns * (self.adc_arrays or 1) // (self.adc_count or max(columns, 1)))

    @property
    def halves(self) -> int:
        """Crossbars whose difference holds a weight: 2 of a differential pair, otherwise 1."""
        return 2 if self.differential else 1


@dataclass(frozen=True, slots=True)
class Core:
    """One core: crossbars, byte-addressed local memory, scalar and event registers, digital functions."""

    crossbars: int = key(NumberCheck(1, 1 << 20), "crossbars per core", 64)
    local_memory: int = key(
        NumberCheck(1, 1 << 40, unit=True),
        "bytes of local memory per core: constants, buffers, everything but weights",
        64 << 20,
    )
    registers: int = key(NumberCheck(1, 128), "scalar registers, for addresses", 32)
    events: int = key(NumberCheck(1, 1 << 16), "event registers, for `sync` and `wait`", 32)
    functions: tuple[str, ...] = key(
        Functions(),
        "vector and digital instructions that cores have, by the names of [assembly.md](assembly.md);"
        ' `["*"]`: all of them',
        ("*",),
    )
    crossbars_per_mvmu: int | None = key(
        COUNT,
        "crossbars that share input and output registers: an MVM unit",
        conflict=lambda core, arch: _fills(core.crossbars_per_mvmu, core.crossbars, "crossbar"),
    )


@dataclass(frozen=True, slots=True)
class GlobalMemory:
    """Global memory, a node of the network; bytes per sample."""

    size: int = key(
        NumberCheck(1, 1 << 48, unit=True),
        "bytes for the inputs and outputs of one sample and for read-only tensors",
        1 << 32,
    )


@dataclass(frozen=True, slots=True)
class Arch:
    """A whole chip, and how many of it there are."""

    name: str = key(TEXT, "the name in reports and errors", "default")
    cores: int = key(
        NumberCheck(1, MAX_CORES),
        "cores of a chip; a network takes as many of them as it needs, but at most 64 if there is no table"
        " `[timing]` and nobody asks for more",
        1024,
        conflict=lambda chip, arch: (
            f"{counted(arch.cores, 'core')} times {counted(arch.system.chips, 'chip')} exceed {MAX_CORES}"
            if arch.all_cores > MAX_CORES
            else ""
        ),
    )
    core: Core = field(default_factory=Core)
    crossbar: Crossbar = field(default_factory=Crossbar)
    global_memory: GlobalMemory = field(default_factory=GlobalMemory)
    network: Network = field(default_factory=Network)
    system: System = field(default_factory=System)
    mapping: CellMapping = field(default_factory=CellMapping)
    device: Device = field(default_factory=Device)
    faults: Faults = field(default_factory=Faults)
    wires: Wires = field(default_factory=Wires)
    draws: Draws = field(default_factory=Draws)
    ranges: Ranges = field(default_factory=Ranges)
    note: str = key(TEXT, "a remark for people, kept in the manifest", "")
    mode: str = key(
        TextCheck(tuple(MODES)),
        "what a schedule may control; " + "; ".join(f'`"{name}"`: {what}' for name, what in WORKING.items()),
        "xbm",
        implied=True,
    )
    cores_per_cluster: int | None = key(
        NumberCheck(1, MAX_CORES),
        "neighbouring cores that share a router or a memory",
        conflict=lambda chip, arch: _fills(arch.cores_per_cluster, arch.cores, "core"),
    )
    node_nm: float | None = key(Real(0.1), "the node of the process: what laws such as `node` begin from")
    supply_v: float | None = key(Real(0.1), "the supply voltage of digital parts, for the law `node`; without it 0.8")
    timing: Timing | None = None
    energy: Energy | None = None
    area: Area | None = None
    published: Published | None = None
    origin: str = field(default="", compare=False)  # the file that it was read from, for messages; not stored
    remarks: tuple[str, ...] = field(default=(), compare=False)

    @property
    def title(self) -> str:
        """How messages call it: by its file, where it was read from one that somebody wrote."""
        return f"architecture {self.origin or self.name}"

    @property
    def all_cores(self) -> int:
        """Cores of all chips together."""
        return self.cores * self.system.chips

    @property
    def mesh_width(self) -> int:
        """Columns of the mesh of a chip: those that are given, or of the smallest square that holds all cores."""
        return self.network.width or isqrt(max(self.cores - 1, 0)) + 1

    def require(self, part: Control, purpose: str) -> None:
        """Raise ArchError, naming the chip's mode, unless a schedule may control single `part` on it.

        `purpose` is what needs that, as the subject of a sentence: "the pass remap-rows".
        """
        if reason := refusal(self.mode, part, purpose):
            raise ArchError(f"{self.title}: {reason}")

    def cells(self, dtype: DType) -> int:
        """Physical crossbars that one logical crossbar of `dtype` weights takes."""
        return self.arrays(self.weight_slices(dtype))

    def columns(self, dtype: DType) -> int:
        """Columns of a logical crossbar: weights of `dtype` that stand in one row."""
        return self.crossbar.cols // self.side_by_side(self.weight_slices(dtype))

    def weight_slices(self, dtype: DType) -> int:
        """Slices of one weight of `dtype`, each in a cell (or a pair of cells, of a `differential` crossbar)."""
        return 1 if dtype == DType.bool else self.slices(self.weight_bits(dtype), dtype.is_signed)

    def weight_bits(self, dtype: DType) -> int:
        """Bits of a weight of `dtype`, the sign among them: floats have those that they are rounded to, if they are."""
        return (dtype.is_float and self.mapping.weight_bits) or dtype.size * 8

    def own_slices(self, dtype: DType) -> int:
        """The same in the chip's own numbers: those of floats are of `timing.float_bits`, if the chip names them."""
        bits = self.timing.float_bits if self.timing else None
        if bits and dtype.is_float and not self.mapping.weight_bits:
            return self.slices(bits)
        return self.weight_slices(dtype)

    def weight_cells(self, dtype: DType) -> int:
        """Cells that writing one weight of `dtype` programs."""
        return self.own_slices(dtype) * self.crossbar.halves

    def slices(self, bits: int, signed: bool = True) -> int:
        """Cells that one weight of so many bits takes (1 when ideal).

        The sign, of a `signed` one, is in no cell, unless `mapping.slicing` gives it a share of one, or one of its own.
        """
        if not self.crossbar.cell_bits:
            return 1
        own = signed and self.mapping.slicing == "twos-complement"
        apart = signed and self.mapping.slicing != "offset"
        return max(1, -(-(bits - apart) // self.crossbar.cell_bits)) + own

    def arrays(self, slices: int) -> int:
        """Physical crossbars that one logical crossbar takes whose weights have so many slices."""
        return -(-slices // self.side_by_side(slices)) * self.crossbar.halves

    def side_by_side(self, slices: int) -> int:
        """How many of the slices of a weight stand in one crossbar."""
        return min(slices, self.crossbar.cols) if self.crossbar.weight_binding == "columns" else 1

    @property
    def unit_adcs(self) -> float:
        """Converters for the bit lines of an MVM unit; of a crossbar, on a chip that has no such units."""
        crossbar, arrays = self.crossbar, self.core.crossbars_per_mvmu or 1
        return (crossbar.adc_count or crossbar.cols) * arrays / (crossbar.adc_arrays or 1)

    def has_function(self, name: str) -> bool:
        """Whether the digital unit has the instruction `name`."""
        return "*" in self.core.functions or name in self.core.functions

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as stored in a manifest: without what is not known, and what is usual."""
        return values_of(self)

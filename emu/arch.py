"""What a chip is: frozen descriptions of crossbar, core, memories and network; presets live in `presets/`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any

from emu.arch_figure import choice, flag, positive_time, square, time, whole, words
from emu.arch_mode import Control, refusal
from emu.errors import ArchError
from emu.isa.dtypes import DType

if TYPE_CHECKING:
    from emu.arch_area import Area
    from emu.arch_energy import Energy
    from emu.arch_published import Published
    from emu.arch_timing import Timing

FIGURES = ("timing", "energy", "area", "published")  # tables that a description may not have
QUEUES = ("links", "shared")  # where messages wait for each other
CONTENTION = ("none", *QUEUES)
BINDINGS = ("crossbars", "columns")
USUAL = {"mode": "xbm", "weight_binding": "crossbars"}  # what descriptions mean that were written without such keys


@dataclass(frozen=True, slots=True)
class Crossbar:
    """One array: wordlines x bitlines. `cell_bits` 0 is an ideal cell that holds one whole weight.

    The slices of a weight that takes several cells stand in as many `crossbars`, or in `columns` of one side by side.
    """

    rows: int = 128
    cols: int = 128
    cell_bits: int = 0
    weight_binding: str = USUAL["weight_binding"]
    cell_type: str | None = words("what a cell is made of, such as ReRAM or SRAM: a remark for people")
    dac_bits: int | None = whole("input bits that a word line takes at a time", 64)
    dac_count: int | None = whole("converters for the word lines of one crossbar; without it one per word line")
    adc_bits: int | None = whole("bits of one conversion of a bit line", 64)
    adc_count: int | None = whole("converters for the bit lines of one crossbar; without it one per bit line")
    endurance: int | None = whole("writes that a cell takes before it fails", 10**15)
    parallel_rows: int | None = whole("word lines that may be driven at a time; without it as many as have a converter")
    differential: bool | None = flag(
        "whether a weight is the difference of two cells, in two crossbars that are read together and converted once:"
        " each matrix takes twice the crossbars, each write twice the cells"
    )

    @property
    def driven_rows(self) -> int:
        """Word lines that one read of the array takes at most."""
        return min(self.rows, self.dac_count or self.rows, self.parallel_rows or self.rows)

    @property
    def halves(self) -> int:
        """Crossbars whose difference holds a weight: 2 of a differential pair, otherwise 1."""
        return 2 if self.differential else 1


@dataclass(frozen=True, slots=True)
class Core:
    """One core: crossbars, byte-addressed local memory, scalar and event registers, digital functions."""

    crossbars: int = 64
    local_memory: int = 64 << 20  # bytes
    registers: int = 32
    events: int = 32
    functions: tuple[str, ...] = ("*",)  # instruction names of the digital unit; "*" is all
    crossbars_per_mvmu: int | None = whole("crossbars that share input and output registers: an MVM unit")


@dataclass(frozen=True, slots=True)
class GlobalMemory:
    """Global memory, a node of the network; bytes per sample."""

    size: int = 1 << 32


@dataclass(frozen=True, slots=True)
class Network:
    """The network on chip; the topology is accounting beside the transport."""

    topology: str = "mesh"
    width: int = 0  # columns of the mesh; 0: the smallest square that holds all cores
    contention: str | None = choice(
        CONTENTION,
        "whether messages wait for each other: at `links`, or as all of them pass one `shared` medium, such as the"
        " buffer or bus of the chip; without it `none`",
    )
    flit_bytes: int | None = whole("bytes that move over a link at once")
    flit_ns: float | None = positive_time("a flit entering a link behind the one before it")
    base_ns: float | None = time("what every message takes, however far it goes")
    hop_ns: float | None = time("the first flit of a message passing one router and one link")
    latency_table_ns: tuple[tuple[float, ...], ...] | None = square(
        "in place of hops: time of a flit from each node (row) to each (column): cores in order, then global memory"
    )


MAX_CORES = 1 << 16


@dataclass(frozen=True, slots=True)
class Arch:
    """A whole chip."""

    name: str = "default"
    cores: int = 1024
    core: Core = field(default_factory=Core)
    crossbar: Crossbar = field(default_factory=Crossbar)
    global_memory: GlobalMemory = field(default_factory=GlobalMemory)
    network: Network = field(default_factory=Network)
    note: str = ""
    mode: str = USUAL["mode"]
    cores_per_cluster: int | None = whole("neighbouring cores that share a router or a memory", MAX_CORES)
    timing: Timing | None = None
    energy: Energy | None = None
    area: Area | None = None
    published: Published | None = None
    origin: str = field(default="", compare=False)  # the file that it was read from, for messages; not stored

    @property
    def title(self) -> str:
        """How messages call it: by its file, where it was read from one that somebody wrote."""
        return f"architecture {self.origin or self.name}"

    @property
    def mesh_width(self) -> int:
        """Columns of the mesh: those that are given, or of the smallest square that holds all cores."""
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
        return 1 if dtype == DType.bool else self.slices(dtype.size * 8, dtype.is_signed)

    def own_slices(self, dtype: DType) -> int:
        """The same in the chip's own numbers: those of floats are of `timing.float_bits`, if the chip names them."""
        bits = self.timing.float_bits if self.timing else None
        return self.slices(bits) if bits and dtype.is_float else self.weight_slices(dtype)

    def weight_cells(self, dtype: DType) -> int:
        """Cells that writing one weight of `dtype` programs."""
        return self.own_slices(dtype) * self.crossbar.halves

    def slices(self, bits: int, signed: bool = True) -> int:
        """Cells that one weight of so many bits takes; the sign, of a `signed` one, is in no cell (1 when ideal)."""
        return max(1, -(-(bits - signed) // self.crossbar.cell_bits)) if self.crossbar.cell_bits else 1

    def arrays(self, slices: int) -> int:
        """Physical crossbars that one logical crossbar takes whose weights have so many slices."""
        return -(-slices // self.side_by_side(slices)) * self.crossbar.halves

    def side_by_side(self, slices: int) -> int:
        """How many of the slices of a weight stand in one crossbar."""
        return min(slices, self.crossbar.cols) if self.crossbar.weight_binding == "columns" else 1

    def has_function(self, name: str) -> bool:
        """Whether the digital unit has the instruction `name`."""
        return "*" in self.core.functions or name in self.core.functions

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as stored in a manifest."""
        return {key: value for key, value in _known(asdict(self)).items() if key != "origin"}


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """Without what is None: figures that are not published, tables that the description has not; and what is usual."""
    found = {key: _parts(value) if isinstance(value, dict) else value for key, value in values.items()}
    return {key: value for key, value in found.items() if value is not None and value != USUAL.get(key)}


def _parts(table: dict[str, Any]) -> dict[str, Any]:
    """A table without components of which nothing is known."""
    return {key: value for key, value in _known(table).items() if value != {}}

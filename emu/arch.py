"""What a chip is: frozen descriptions of crossbar, core, memories and network; presets live in `presets/`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from emu.arch_figure import choice, positive_time, square, time, whole
from emu.isa.dtypes import DType

if TYPE_CHECKING:
    from emu.arch_area import Area
    from emu.arch_energy import Energy
    from emu.arch_published import Published
    from emu.arch_timing import Timing

FIGURES = ("timing", "energy", "area", "published")  # tables that a description may not have
CONTENTION = ("none", "links")


@dataclass(frozen=True, slots=True)
class Crossbar:
    """One array: wordlines x bitlines. `cell_bits` 0 is an ideal cell that holds one whole weight."""

    rows: int = 128
    cols: int = 128
    cell_bits: int = 0
    dac_bits: int | None = whole("input bits that a word line takes at a time", 64)
    dac_count: int | None = whole("converters for the word lines of one crossbar; without it one per word line")
    adc_bits: int | None = whole("bits of one conversion of a bit line", 64)
    adc_count: int | None = whole("converters for the bit lines of one crossbar; without it one per bit line")
    endurance: int | None = whole("writes that a cell takes before it fails", 10**15)


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
    contention: str | None = choice(CONTENTION, "whether messages wait for each other at links; without it `none`")
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

    def cells(self, dtype: DType) -> int:
        """Physical arrays that one logical crossbar of `dtype` weights takes (bit slices; 1 when ideal)."""
        return 1 if dtype == DType.bool else self.slices(dtype.size * 8)

    def slices(self, bits: int) -> int:
        """Physical arrays that one logical crossbar of weights of so many bits takes: the sign is not in the cells."""
        return max(1, -(-(bits - 1) // self.crossbar.cell_bits)) if self.crossbar.cell_bits else 1

    def has_function(self, name: str) -> bool:
        """Whether the digital unit has the instruction `name`."""
        return "*" in self.core.functions or name in self.core.functions

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as stored in a manifest."""
        return {key: value for key, value in _known(asdict(self)).items() if key != "origin"}


def _known(values: dict[str, Any]) -> dict[str, Any]:
    """Without what is None: figures that are not published, tables that the description has not."""
    found = {key: _parts(value) if isinstance(value, dict) else value for key, value in values.items()}
    return {key: value for key, value in found.items() if value is not None}


def _parts(table: dict[str, Any]) -> dict[str, Any]:
    """A table without components of which nothing is known."""
    return {key: value for key, value in _known(table).items() if value != {}}

"""What a chip is: frozen descriptions of crossbar, core, memories and network; presets live in `presets/`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from emu.isa.dtypes import DType


@dataclass(frozen=True, slots=True)
class Crossbar:
    """One array: wordlines x bitlines. `cell_bits` 0 is an ideal cell that holds one whole weight."""

    rows: int = 128
    cols: int = 128
    cell_bits: int = 0


@dataclass(frozen=True, slots=True)
class Core:
    """One core: crossbars, byte-addressed local memory, scalar and event registers, digital functions."""

    crossbars: int = 64
    local_memory: int = 64 << 20  # bytes
    registers: int = 32
    events: int = 32
    functions: tuple[str, ...] = ("*",)  # instruction names of the digital unit; "*" is all


@dataclass(frozen=True, slots=True)
class GlobalMemory:
    """Global memory, a node of the network; bytes per sample."""

    size: int = 1 << 32


@dataclass(frozen=True, slots=True)
class Network:
    """The network on chip; the topology is accounting beside the transport."""

    topology: str = "mesh"
    width: int = 0  # columns of the mesh; 0: the smallest square that holds all cores


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
    origin: str = field(default="", compare=False)  # the file that it was read from, for messages; not stored

    @property
    def title(self) -> str:
        """How messages call it: by its file, where it was read from one that somebody wrote."""
        return f"architecture {self.origin or self.name}"

    def cells(self, dtype: DType) -> int:
        """Physical arrays that one logical crossbar of `dtype` weights takes (bit slices; 1 when ideal)."""
        bits = self.crossbar.cell_bits
        if bits == 0 or dtype == DType.bool:
            return 1
        return -(-(dtype.size * 8 - 1) // bits)

    def has_function(self, name: str) -> bool:
        """Whether the digital unit has the instruction `name`."""
        return "*" in self.core.functions or name in self.core.functions

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as stored in a manifest."""
        return {key: value for key, value in asdict(self).items() if key != "origin"}

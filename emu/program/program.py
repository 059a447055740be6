"""The program of one core: array groups, initial data, `init` and `main`, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

from emu.isa.dtypes import DType
from emu.program.form import Box, Form, box_shape
from emu.program.group import GroupSpec
from emu.program.section import Section, empty_section


@dataclass(frozen=True, slots=True)
class Source:
    """Where an instruction range comes from: the ONNX node, and what part of its output (free text).

    Programs that were imported have no nodes; `part` is the instruction of their file.
    """

    node: str
    part: str = ""  # such as "channels 0-63 rows 0-55" or "partial sum 1 of 3"

    @property
    def name(self) -> str:
        """What sentences call it: the node if there is one."""
        return self.node or self.part


@dataclass(frozen=True, slots=True)
class BufferSpec:
    """A box of a tensor in local memory, dense, complete before `main[complete]` runs."""

    tensor: str  # ONNX tensor name
    form: Form  # of the whole tensor
    box: Box  # the part that it holds
    dtype: DType
    address: int
    complete: int  # index into `main`, outside every loop

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return prod(box_shape(self.box)) * self.dtype.size


@dataclass(frozen=True, slots=True)
class Data:
    """Bytes written to local memory at power-on, before `init` runs."""

    address: int
    content: bytes


@dataclass(frozen=True)
class Program:
    """What one core runs: `init` once per power-on, `main` once per sample.

    `state` lists (address, bytes) of local memory that keeps its content, defined, from sample to sample.
    """

    core: int
    groups: tuple[GroupSpec, ...] = ()
    data: tuple[Data, ...] = ()
    state: tuple[tuple[int, int], ...] = ()
    init: Section = field(default_factory=empty_section)
    main: Section = field(default_factory=empty_section)
    sources: tuple[Source, ...] = ()
    buffers: tuple[BufferSpec, ...] = ()

    @property
    def crossbars(self) -> int:
        """Logical crossbars in use."""
        return sum(group.crossbars for group in self.groups)

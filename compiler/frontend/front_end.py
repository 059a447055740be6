"""What a front end is: it recognises its sources, reads them, and says who can compute their golden values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:  # whoever asks for golden values alone does not wait for xDSL
    from xdsl.dialects.builtin import ModuleOp

    from compiler.session.context import CompilerContext
    from emu.isa.dtypes import DType

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A network input or output, with its logical shape."""

    name: str
    shape: Shape
    dtype: DType


@dataclass(frozen=True)
class ImportedModel:
    """A module with one function @main, and what the manifest says about the model it came from."""

    module: ModuleOp
    name: str
    sha256: str  # of the file's bytes, or of the serialised object
    where: str  # how errors name the model: its path, or its name
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    nodes: tuple[tuple[str, tuple[str, ...]], ...] = ()  # name and outputs of every node, in order
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])  # operator of every node, by name
    states: Mapping[str, str] = field(default_factory=dict[str, str])  # output by input, of caches of fixed capacity


@runtime_checkable
class NamesTensors(Protocol):
    """A front end that tells which tensors of a file golden values can be computed of, beside its outputs."""

    def tensors(self, path: Path) -> frozenset[str]:
        """Their names; raises CompileError for a file that cannot be read."""
        ...


class FrontEnd(Protocol):
    """One kind of source: a file, or an object in memory."""

    @property
    def evaluators(self) -> Path | None:
        """A Python file or package whose table `SOURCES` computes tensors of files, as golden values; None: nobody.

        It is imported by a process of its own; the package `compiler.evaluation` shows what stands in it.
        """
        ...

    def recognises(self, source: object) -> bool:
        """Whether `read` can be asked for `source`; nothing is read yet, so a damaged file may be recognised."""
        ...

    def read(self, source: object, context: CompilerContext, shapes: Mapping[str, Shape]) -> ImportedModel:
        """The module of `source`, with its weights in those of `context`; raises CompileError with one sentence.

        `shapes` are those of inputs whose shape the source leaves open.
        """
        ...

"""What every pass is given: the xDSL context with the weight store, the architecture and the options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.ir import Dialect, Operation

from compiler.basis.options import CompileOptions, default_cores
from compiler.basis.weights import WeightStore
from compiler.dialects.indexed import IndexedDialect
from compiler.dialects.integer import IntegerDialect
from compiler.dialects.nest import NestDialect
from compiler.dialects.onnx import Onnx
from compiler.dialects.pim import PimDialect
from compiler.dialects.spat import SpatDialect
from compiler.dialects.tile import TileDialect
from compiler.kernels.table import KernelDialect
from compiler.session.provenance import Provenance
from compiler.session.source_text import SourceText
from emu.arch import Arch
from emu.image.manifest import StateSpec

DIALECTS: tuple[Dialect, ...] = (
    Builtin,
    Func,
    Onnx,
    NestDialect,
    IndexedDialect,
    IntegerDialect,
    TileDialect,
    SpatDialect,
    KernelDialect,
    PimDialect,
)  # loaded into every compiler context


@dataclass(frozen=True, slots=True)
class NetworkIdentity:
    """What the manifest says of the network: name and SHA-256 (hex) of its source, name and outputs of every node."""

    name: str = ""
    sha256: str = ""
    nodes: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass
class CompilerContext(Context):
    """An xDSL context that also carries weights, architecture, options, the warnings so far, and fates of tensors.

    `network` says where the module comes from, `settings` are the options as the manifest of an image lists them.
    `states` are pairs of an input and an output that a chip may keep between steps.
    `kinds` are the operators of the network's nodes, by name, as far as they are known. `source` is the text that the
    present module was read from, if it was. `spare` are options that would use more of the chip, as in a manifest.
    `granularity` is the one in use, as soon as it is chosen.
    """

    weights: WeightStore = field(default_factory=WeightStore)
    arch: Arch = field(default_factory=Arch)
    options: CompileOptions = field(default_factory=CompileOptions)
    warnings: list[str] = field(default_factory=list[str])
    provenance: Provenance = field(default_factory=Provenance)
    network: NetworkIdentity = field(default_factory=NetworkIdentity)
    settings: dict[str, str] = field(default_factory=dict[str, str])
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    states: tuple[StateSpec, ...] = ()
    source: SourceText | None = None
    spare: dict[str, int] = field(default_factory=dict[str, int])
    granularity: str = ""

    @property
    def cores(self) -> int:
        """The cores that may be used."""
        return self.options.cores or default_cores(self.arch)

    def line_of(self, op: Operation) -> str:
        """Where an operation stands in the text that was read, to begin an error with: `line 12: `, or empty."""
        return self.source.line_of(op) if self.source is not None else ""

    def warn(self, message: str) -> None:
        """Remember a warning (one sentence), once."""
        if message not in self.warnings:
            self.warnings.append(message)

    def clone(self) -> CompilerContext:
        """A context with the same dialects that shares all that is carried; xDSL asks for it in `apply_to_clone`."""
        copy = CompilerContext(
            self.allow_unregistered,
            self._loaded_dialects.copy(),
            self._loaded_ops.copy(),
            self._loaded_attrs.copy(),
            self._loaded_types.copy(),
            self._registered_dialects.copy(),
        )
        copy.weights, copy.arch, copy.options, copy.warnings = self.weights, self.arch, self.options, self.warnings
        copy.source, copy.provenance, copy.network, copy.settings = (
            self.source,
            self.provenance,
            self.network,
            self.settings,
        )
        copy.kinds, copy.states, copy.spare = self.kinds, self.states, self.spare
        copy.granularity = self.granularity
        return copy


def make_context(arch: Arch | None = None, options: CompileOptions | None = None) -> CompilerContext:
    """A context for one compilation, with every dialect of `DIALECTS` loaded."""
    context = CompilerContext(arch=arch or Arch(), options=options or CompileOptions())
    for dialect in DIALECTS:
        context.load_dialect(dialect)
    return context

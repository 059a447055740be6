"""A host program that was read, checked, and lowered to calls of a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.dialects import func, linalg, ml_program, scf, tensor
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.cf import AssertOp
from xdsl.ir import SSAValue

from compiler.dialects import cinm
from compiler.dialects.cim import Cim, GemmOp
from compiler.dialects.cinm import Cinm
from compiler.dialects.linalg.forms import GenericOp
from compiler.frontend.text.parsing import TextModule, parse_text
from compiler.frontend.text.signature import Signature, signature_of
from compiler.interpreter.host.crossbars import Crossbars
from compiler.interpreter.host.run import MEANINGS, OF_REGIONS, run_function
from compiler.interpreter.host.values import Array, numpy_type
from compiler.offload.context import OffloadContext
from compiler.offload.contraction import contractions, roles_of
from compiler.offload.pipeline import run_passes
from emu.errors import CompileError

_ALIGNED = "04000000"  # the alignment of a resource, four bytes before its own
_CONTROL = (
    ModuleOp, func.FuncOp, func.CallOp, func.ReturnOp, scf.ForOp, scf.IfOp, scf.YieldOp, AssertOp, ml_program.GlobalOp,
    linalg.ops.YieldOp, tensor.YieldOp,
)  # fmt: skip
_KNOWN = (*_CONTROL, *MEANINGS, *OF_REGIONS, *Cim.operations, *Cinm.operations)


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the program: its name, sizes (None where they are open), and NumPy's type of its elements."""

    name: str
    shape: tuple[int | None, ...]
    dtype: Any


@dataclass(frozen=True, slots=True)
class HostProgram:
    """`text` as it was read, of which every operation is understood."""

    text: TextModule
    signature: Signature

    @staticmethod
    def read(path: Path, data: bytes, context: OffloadContext) -> HostProgram:
        """The program of a text; raises CompileError with line and operation."""
        text = parse_text(data, str(path), context)
        _check(text)
        return HostProgram(text, signature_of(text))

    @property
    def calls_device(self) -> bool:
        """Whether it has calls of a device already."""
        return any(type(op) in (*Cim.operations, *Cinm.operations) for op in self.text.module.walk())

    @property
    def inputs(self) -> list[Input]:
        """What it takes."""
        args = self.signature.function.body.block.args
        return [_input(name, arg) for name, arg in zip(self.signature.inputs, args, strict=True)]

    def lowered(self, passes: Sequence[str], context: OffloadContext, level: str) -> Lowered:
        """A copy after those passes that belong to a level; raises CompileError."""
        module = self.text.module.clone()
        sites = _sites(module, passes, context)
        try:
            run_passes(tuple(passes), context, module, level)
        except CompileError as error:
            raise CompileError(f"{self.text.where}: {error}") from None
        return Lowered(self, module, *sites)

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """Its results without a device."""
        return run_function(self.signature.function, self.text.module, arrays, self.text.blobs)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A program after passes; `sites` of its `candidates`, products and convolutions, are calls of a device."""

    program: HostProgram
    module: ModuleOp
    sites: int
    candidates: int

    def text(self) -> str:
        """As it is printed, with the resources that it names."""
        return printed(self.module, self.program.text.blobs)

    def run(self, arrays: Sequence[Array], crossbars: Crossbars) -> list[Array]:
        """Its results with a device."""
        name = self.program.signature.function.sym_name.data
        named = (op for op in self.module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name)
        function = next(named)
        return run_function(function, self.module, arrays, self.program.text.blobs, crossbars=crossbars)


def _sites(module: ModuleOp, passes: Sequence[str], context: OffloadContext) -> tuple[int, int]:
    """Contractions that the passes find, and all sums of products there are."""
    found = module.clone()
    run_passes(tuple(passes), context, found, "products")
    calls = [op for op in module.walk() if isinstance(op, GemmOp | cinm.GemmOp)]
    sums = [op for op in found.walk() if isinstance(op, GenericOp) and roles_of(op)]
    noted = contractions(list(found.walk()))
    return len(noted) + len(calls), len({*sums, *noted, *calls})


def printed(module: ModuleOp, blobs: Mapping[str, memoryview]) -> str:
    """The text of a module; resources stand at its end, as elsewhere in MLIR."""
    text = str(module) + "\n"
    used = [name for name in blobs if f"dense_resource<{name}>" in text]
    if not used:
        return text
    rows = ",\n".join(f'      {name}: "0x{_ALIGNED}{blobs[name].hex().upper()}"' for name in used)
    return f"{text}\n{{-#\n  dialect_resources: {{\n    builtin: {{\n{rows}\n    }}\n  }}\n#-}}\n"


def _input(name: str, value: SSAValue) -> Input:
    kind = value.type
    sizes = tuple(size if size >= 0 else None for size in kind.get_shape()) if isinstance(kind, ShapedType) else ()
    return Input(name, sizes, numpy_type(kind))


def _check(text: TextModule) -> None:
    """Raise CompileError for the first operation, or type, that cannot be executed."""
    for op in text.module.walk():
        if not isinstance(op, _KNOWN):
            raise text.refuse(op, "is not understood: give functions of linalg on tensors")
        if isinstance(op, func.FuncOp) and len(op.body.blocks) > 1:
            raise text.refuse(op, "has branches: give functions of one block")
        for value in (*op.results, *(arg for region in op.regions for block in region.blocks for arg in block.args)):
            if value.type.name.startswith("cim."):
                continue
            try:
                numpy_type(value.type)
            except CompileError as error:
                raise text.refuse(op, str(error)) from None

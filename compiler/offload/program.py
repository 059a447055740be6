"""A host program that was read, checked, and lowered to calls of a device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, ShapedType
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation, SSAValue

from compiler.basis.entries import name_of
from compiler.dialects import cim, cinm, memristor
from compiler.dialects.libraries import library_call
from compiler.dialects.linalg.generic import GenericOp
from compiler.dialects.neuro import MatvecOp
from compiler.dialects.origins import forget_lines, in_file, note_lines, rewriting
from compiler.frontend.text.parsing import TextModule, parse_text
from compiler.frontend.text.signature import Signature, signature_of
from compiler.interpreter.host.crossbars import Crossbars
from compiler.interpreter.host.memrefs import laid_out
from compiler.interpreter.host.run import run_function
from compiler.interpreter.host.values import Array, numpy_type
from compiler.offload.context import OffloadContext
from compiler.offload.contraction import contractions, roles_of
from compiler.offload.detect_contractions import DetectContractionsPass
from compiler.offload.linalg_generalize import LinalgGeneralizePass
from compiler.offload.pipeline import run_passes
from compiler.offload.script import script_of
from compiler.offload.seen import Seen
from compiler.offload.specialise import specialised
from compiler.offload.understood import OF_DEVICES, check_understood
from compiler.offload.written import written_arguments

_ALIGNED = "04000000"  # the alignment of a resource, four bytes before its own


@dataclass(frozen=True, slots=True)
class Input:
    """An input of the program: its name, sizes (None where they are open), and NumPy's type of its elements."""

    name: str
    shape: tuple[int | None, ...]
    dtype: Any


@dataclass(frozen=True, slots=True)
class HostProgram:
    """`text` as it was read, of which every operation is understood.

    `written` are the places of arguments that are memrefs which it may write: what stands in them is an output, too.
    """

    text: TextModule
    signature: Signature
    written: tuple[int, ...]

    @staticmethod
    def read(path: Path, data: bytes, context: OffloadContext) -> HostProgram:
        """The program of a text; raises CompileError with line and operation."""
        text = parse_text(data, str(path), context)
        check_understood(text)
        note_lines(text.module, text.lines)
        with in_file(text.where):
            if (script := script_of(text.module)) is not None:
                script.check()
        signature = signature_of(text, in_place=True)
        written = written_arguments(signature.function, text.module)
        if not (signature.outputs or written):
            raise text.refuse(signature.function, "returns nothing and writes no memref that it is given")
        return HostProgram(text, signature, written)

    @property
    def calls_device(self) -> bool:
        """Whether it has calls of a device already."""
        return any(type(op) in OF_DEVICES or library_call(op) for op in self.text.module.walk())

    @property
    def has_script(self) -> bool:
        """Whether a transform script stands beside it."""
        return script_of(self.text.module) is not None

    @property
    def inputs(self) -> list[Input]:
        """What it takes."""
        args = self.signature.function.body.block.args
        return [_input(name, arg) for name, arg in zip(self.signature.inputs, args, strict=True)]

    @property
    def is_open(self) -> bool:
        """Whether it takes inputs whose sizes it leaves open."""
        return any(None in each.shape for each in self.inputs)

    def sized(self, arrays: Sequence[Array]) -> tuple[HostProgram, list[Array]]:
        """The program for inputs of just these sizes, and its results without a device."""
        seen, function = Seen(), self.signature.function
        made = self.execute(function, self.text.module, arrays, listeners=[seen])
        with in_file(self.text.where):
            text = specialised(self.text, seen, function, [array.shape for array in arrays])
            _verify(text.module)
        return HostProgram(text, signature_of(text, in_place=True), self.written), made

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of its results, then those of the memrefs that it writes."""
        return (*self.signature.outputs, *(self.signature.inputs[place] for place in self.written))

    def lowered(self, passes: Sequence[str], context: OffloadContext, level: str) -> Lowered:
        """A copy after those passes that belong to a level; raises CompileError."""
        module = self.text.module.clone()
        with in_file(self.text.where):
            sites = _sites(module, passes, context)
            run_passes(tuple(passes), context, module, level)
        if not _detects(passes):  # a script does that, if anything does
            sites = sum(map(_is_product, module.walk())), sites[1]
        return Lowered(self, module, *sites)

    def run(self, arrays: Sequence[Array]) -> list[Array]:
        """Its outputs without a device; raises HostError."""
        return self.execute(self.signature.function, self.text.module, arrays)

    def execute(
        self,
        function: func.FuncOp,
        module: ModuleOp,
        arrays: Sequence[Array],
        crossbars: Crossbars | None = None,
        listeners: Sequence[Interpreter.Listener] = (),
    ) -> list[Array]:
        """The outputs of its function in a module; memrefs that it is given are copied before.

        Raises HostError with file, line and operation, and what devices raise.
        """
        kinds = [arg.type for arg in function.body.block.args]
        args = [laid_out(a, kind) if isinstance(kind, MemRefType) else a for a, kind in zip(arrays, kinds, strict=True)]
        with in_file(self.text.where):
            results = run_function(function, module, args, self.text.blobs, listeners, crossbars)
        return [*results, *(args[place] for place in self.written)]


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
        """Its outputs with a device; raises HostError, and what devices raise."""
        name = self.program.signature.function.sym_name.data
        named = (op for op in self.module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == name)
        function = next(named)
        return self.program.execute(function, self.module, arrays, crossbars)


def _sites(module: ModuleOp, passes: Sequence[str], context: OffloadContext) -> tuple[int, int]:
    """Contractions that the passes find, and all sums of products there are."""
    found = module.clone()
    run_passes((*([] if _detects(passes) else [LinalgGeneralizePass.name]), *passes), context, found, "products")
    calls = [op for op in module.walk() if _is_product(op)]
    sums = [op for op in found.walk() if isinstance(op, GenericOp) and roles_of(op)]
    noted = contractions(list(found.walk()))
    return len(noted) + len(calls), len({*sums, *noted, *calls})


def _detects(passes: Sequence[str]) -> bool:
    return any(name_of(entry) == DetectContractionsPass.name for entry in passes)


def _is_product(op: Operation) -> bool:
    call = library_call(op)
    return issubclass(
        type(op) if call is None else call.kind, cinm.GemmOp | cinm.GemvOp | cim.GemmOp | memristor.ProductOp | MatvecOp
    )


def printed(module: ModuleOp, blobs: Mapping[str, memoryview]) -> str:
    """The text of a module; resources stand at its end, as elsewhere in MLIR."""
    module = module.clone()
    forget_lines(module)
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


def _verify(module: ModuleOp) -> None:
    """Raise CompileError where the sizes that were seen do not fit what stands around them."""
    for op in module.walk():
        with rewriting(op):
            op.verify(verify_nested_ops=False)

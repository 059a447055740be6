"""Pass `lower-onnx-to-spat`: operators become layers, which are kernels on whole tensors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from compiler.basis.blame import about
from compiler.dialects import attributes as attr
from compiler.dialects import onnx, spat
from compiler.dialects.boxes import BoxesAttr, FormAttr
from compiler.dialects.types import ELEMENTS, dtype_of
from compiler.lowering.input_layout import input_layout
from compiler.lowering.lowering import Lowering
from compiler.lowering.table import LOWERINGS
from compiler.session.context import CompilerContext
from emu.errors import CompileError


@dataclass(frozen=True)
class LowerOnnxToSpatPass(ModulePass):
    """Replaces `func.func @main` by `spat.input`, `spat.layer` and `spat.output` operations on whole tensors."""

    name = "lower-onnx-to-spat"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lower in place; raises CompileError for what is unsupported."""
        context = cast(CompilerContext, ctx)
        main = next((item for item in op.ops if isinstance(item, FuncOp)), None)
        if main is None:
            raise CompileError("the pass lower-onnx-to-spat needs a func.func of onnx operations, and there is none")
        into = Block()
        lowering = Lowering(context, into)
        kinds = main.function_type
        names = [
            _names(main.arg_attrs, "input", len(kinds.inputs)),
            _names(main.res_attrs, "output", len(kinds.outputs)),
        ]
        for name, value in zip(names[0], main.body.block.args, strict=True):
            lowering.add_input(name, value, input_layout(value))
        for item in main.body.block.ops:
            if isinstance(item, ReturnOp):
                _outputs(lowering, names[1], item)
            elif item not in lowering.fused and not isinstance(item, onnx.ConstantOp):
                with about(cast(onnx.OnnxOp, item).node.data):
                    _lower(lowering, cast(onnx.OnnxOp, item))
        main.detach()
        main.erase()
        for item in list(into.ops):
            item.detach()
            op.body.block.add_op(item)


def _lower(lowering: Lowering, op: onnx.OnnxOp) -> None:
    lower = LOWERINGS.get(type(op))
    if lower is None:
        known = ", ".join(sorted(kind.name.removeprefix("onnx.") for kind in LOWERINGS))
        raise CompileError(f"{op.label}: cannot be lowered in this form; supported are {known}")
    if all(prod(attr.shape_of(result)) == 0 for result in op.results):
        lowering.add_empty(op)
    else:
        lower(lowering, op)


def _names(attributes: ArrayAttr[DictionaryAttr] | None, default: str, count: int) -> list[str]:
    """The names in the attributes `onnx.name` of arguments or results; `default` with a number where there is none."""
    given = [entry.data.get("onnx.name") for entry in attributes or ()] or [None] * count
    return [name.data if isinstance(name, StringAttr) else f"{default}{index}" for index, name in enumerate(given)]


def _outputs(lowering: Lowering, names: list[str], op: ReturnOp) -> None:
    for name, value in zip(names, op.operands, strict=True):
        source = lowering.tensor(value)
        tiles = [] if source.value is None else [source.value]
        properties = {
            "tensor": StringAttr(name),
            "element": ELEMENTS[dtype_of(value)],
            "boxes": BoxesAttr((source.form.whole,) * len(tiles)),
            "form": FormAttr(source.form),
        }
        lowering.into.add_op(spat.OutputOp.create(operands=tiles, properties=properties))

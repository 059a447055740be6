"""Pass `lower-onnx-to-spat`: operators become computes on channel tiles, placed on cores numbered from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from compiler.context import CompilerContext
from compiler.dialects import attributes as attr
from compiler.dialects import onnx, spat
from compiler.lowering.lowering import Lowering
from compiler.lowering.table import LOWERINGS
from emu.errors import CompileError


@dataclass(frozen=True)
class LowerOnnxToSpatPass(ModulePass):
    """Replaces `func.func @main` by `spat.input`, `spat.compute` and `spat.output` operations."""

    name = "lower-onnx-to-spat"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Lower in place; raises CompileError for what is unsupported or does not fit."""
        context = cast(CompilerContext, ctx)
        main = next(item for item in op.ops if isinstance(item, FuncOp))
        into = Block()
        lowering = Lowering(context, into)
        names = [_names(main.arg_attrs, "input"), _names(main.res_attrs, "output")]
        for name, value in zip(names[0], main.body.block.args, strict=True):
            lowering.add_input(name, value, context.arch.crossbar.rows)
        for item in main.body.block.ops:
            if isinstance(item, ReturnOp):
                lowering.defer(lambda item=item: _outputs(lowering, names[1], item))
            elif item not in lowering.fused and not isinstance(item, onnx.ConstantOp):
                lowering.lower(item, lambda item=item: _lower(lowering, cast(onnx.OnnxOp, item)))
        lowering.finish()
        _close_gaps(into)
        main.detach()
        main.erase()
        for item in list(into.ops):
            item.detach()
            op.body.block.add_op(item)


def _close_gaps(into: Block) -> None:
    """Number the cores in use from 0 on, so that as few as possible are needed; what follows takes numbers as given."""
    computes = [op for op in into.ops if isinstance(op, spat.ComputeOp)]
    numbers = {core: number for number, core in enumerate(sorted({op.core.value.data for op in computes}))}
    for op in computes:
        op.properties["core"] = attr.integer(numbers[op.core.value.data])


def _lower(lowering: Lowering, op: onnx.OnnxOp) -> None:
    lower = LOWERINGS.get(type(op))
    if lower is None:
        known = ", ".join(sorted(kind.name.removeprefix("onnx.") for kind in LOWERINGS))
        raise CompileError(f"{op.label}: cannot be lowered in this form; supported are {known}")
    lower(lowering, op)


def _names(attributes: ArrayAttr[DictionaryAttr] | None, default: str) -> list[str]:
    return [
        cast(StringAttr, entry.data.get("onnx.name", StringAttr(f"{default}{index}"))).data
        for index, entry in enumerate(attributes or ())
    ]


def _outputs(lowering: Lowering, names: list[str], op: ReturnOp) -> None:
    for name, value in zip(names, op.operands, strict=True):
        if isinstance(value.owner, onnx.ConstantOp):
            raise CompileError(f"output {name} is a constant: no input reaches it; remove it from the model")
        source = lowering.maps[value]
        properties = {
            "tensor": StringAttr(name),
            "channels": attr.ints(bound for tile in source.tiles for bound in (tile.low, tile.high)),
            "shape": attr.ints(source.shape),
            "extent": attr.ints(source.extent),
            "layout": attr.strings(source.layout),
        }
        lowering.into.add_op(
            spat.OutputOp.create(operands=[tile.value for tile in source.tiles], properties=properties)
        )

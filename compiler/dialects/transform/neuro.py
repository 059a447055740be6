"""NeuroBoard's operations of transform scripts: they put operations of the dialect `neuro` into the payload."""

from __future__ import annotations

from xdsl.dialects.transform import ParamType, TransformHandleType, TransformOpHandleType
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def


@irdl_op_definition
class CrossbarOp(IRDLOperation):
    """For each contraction, rows and columns of a crossbar of the chip for elements like those of its second factor."""

    name = "transform.neuro.crossbar"
    target = operand_def(TransformOpHandleType)
    rows = result_def(ParamType)
    cols = result_def(ParamType)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class CreateAllocOp(IRDLOperation):
    """An allocation in each function, which takes the largest of these values, or of what these operations make."""

    name = "transform.neuro.create.alloc"
    target = operand_def(TransformHandleType)
    alloc = result_def(TransformOpHandleType)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class CreateWriteMatrixOp(IRDLOperation):
    """Writes the second factor of each product to the allocation, before the product."""

    name = "transform.neuro.create.write_matrix"
    alloc = operand_def(TransformOpHandleType)
    product = operand_def(TransformOpHandleType)
    write = result_def(TransformOpHandleType)
    assembly_format = "$alloc `,` $product attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class CreateMatvecOp(IRDLOperation):
    """Multiplies the vector that `vector` makes by what was written, and adds it to what `out` makes."""

    name = "transform.neuro.create.matvec"
    write = operand_def(TransformOpHandleType)
    vector = operand_def(TransformOpHandleType)
    out = operand_def(TransformOpHandleType)
    matvec = result_def(TransformOpHandleType)
    assembly_format = "$write `,` $vector `,` $out attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class ReplaceOp(IRDLOperation):
    """Puts operations in the place of others, by reshapes and casts of what they make; the first handle is consumed."""

    name = "transform.neuro.replace"
    target = operand_def(TransformOpHandleType)
    by = operand_def(TransformOpHandleType)
    assembly_format = "$target `with` $by attr-dict `:` type($target) `,` type($by)"

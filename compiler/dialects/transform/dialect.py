"""The dialect `transform` as texts are read with it."""

from __future__ import annotations

from xdsl.dialects.transform import Transform as Stock
from xdsl.ir import Dialect

from compiler.dialects.transform import handles, neuro

_OWN = (
    handles.SequenceOp,
    handles.GetProducerOfOperandOp,
    handles.GetConsumersOfResultOp,
    handles.GetOperandOp,
    handles.GetResultOp,
    handles.GetDefiningOp,
    handles.GetParentOp,
    handles.GeneralizeOp,
    handles.CastOp,
    handles.MergeHandlesOp,
    handles.SplitHandleOp,
    handles.ParamConstantOp,
    handles.AnnotateOp,
    handles.ForeachOp,
    neuro.CrossbarOp,
    neuro.CreateAllocOp,
    neuro.CreateWriteMatrixOp,
    neuro.CreateMatvecOp,
    neuro.ReplaceOp,
)
_NAMES = {op.name for op in _OWN}

Transform = Dialect(
    Stock.name, [*(op for op in Stock.operations if op.name not in _NAMES), *_OWN], list(Stock.attributes)
)

"""The dialect `transform` as texts are read with it: the operations that are carried out, and no others."""

from __future__ import annotations

from xdsl.dialects import transform
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
_OF_XDSL = (
    transform.MatchOp,
    transform.TileOp,
    transform.ApplyRegisteredPassOp,
    transform.NamedSequenceOp,
    transform.YieldOp,
)

Transform = Dialect("transform", [*_OF_XDSL, *_OWN], list(transform.Transform.attributes))

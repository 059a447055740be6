"""The dialects that texts of other compilers are read with."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.affine import Affine
from xdsl.dialects.arith import Arith
from xdsl.dialects.bufferization import Bufferization
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.cf import Cf
from xdsl.dialects.func import Func
from xdsl.dialects.linalg import Linalg
from xdsl.dialects.math import Math
from xdsl.dialects.memref import MemRef
from xdsl.dialects.ml_program import MLProgram
from xdsl.dialects.scf import Scf
from xdsl.dialects.tensor import Tensor
from xdsl.ir import Dialect, Operation

from compiler.dialects.linalg.attributes import ElementwiseKindAttr, TypeFnAttr
from compiler.dialects.linalg.buffers import BUFFERIZATION, MEMREF
from compiler.dialects.linalg.forms import BroadcastOp, MapOp, ReduceOp, SoftmaxOp
from compiler.dialects.linalg.generic import GenericOp, IndexOp
from compiler.dialects.linalg.loops import WhileOp
from compiler.dialects.linalg.named import NAMED_OPS
from compiler.dialects.linalg.others import ARITH, MATH

LINALG_OPS: tuple[type[Operation], ...] = (GenericOp, IndexOp, MapOp, ReduceOp, BroadcastOp, SoftmaxOp, *NAMED_OPS)


def _extended(dialect: Dialect, ops: Sequence[type[Operation]], attributes: Sequence[type] = ()) -> Dialect:
    """A dialect of xDSL with `ops` in place of its own of the same names."""
    names = {op.name for op in ops}
    kept = [op for op in dialect.operations if op.name not in names]
    return Dialect(dialect.name, [*kept, *ops], [*dialect.attributes, *attributes])


TEXT_DIALECTS: tuple[Dialect, ...] = (
    Builtin,
    Func,
    _extended(Arith, ARITH),
    _extended(Math, MATH),
    Tensor,
    _extended(Linalg, LINALG_OPS, (TypeFnAttr, ElementwiseKindAttr)),
    Affine,
    _extended(Scf, (WhileOp,)),
    Cf,
    MLProgram,
)
BUFFER_DIALECTS: tuple[Dialect, ...] = (_extended(MemRef, MEMREF), _extended(Bufferization, BUFFERIZATION))


def text_context() -> Context:
    """A context that reads host programs and nothing else."""
    context = Context()
    for dialect in TEXT_DIALECTS:
        context.load_dialect(dialect)
    return context

"""All kernels, and the dialect of them: a new one is one new file and one row here."""

from __future__ import annotations

from xdsl.ir import Dialect

from compiler.dialects.epilogue import EpilogueAttr
from compiler.dialects.parts import PartsAttr, RowTilesAttr
from compiler.kernels.activation import ActivationOp
from compiler.kernels.apply_blocks import ApplyBlocksOp
from compiler.kernels.apply_filters import ApplyFiltersOp
from compiler.kernels.arg import ArgOp
from compiler.kernels.concat import ConcatOp
from compiler.kernels.gather import GatherOp
from compiler.kernels.interleave import InterleaveOp
from compiler.kernels.kernel import Kernel
from compiler.kernels.lrn import LRNOp
from compiler.kernels.nest import NestOp
from compiler.kernels.pool import PoolOp
from compiler.kernels.put import PutOp
from compiler.kernels.recurrent import RecurrentOp
from compiler.kernels.scan import ScanOp
from compiler.kernels.softmax import SoftmaxOp
from compiler.kernels.topk import TopKOp
from compiler.kernels.vadd import VAddOp
from compiler.kernels.written_product import WrittenProductOp

KERNELS: tuple[type[Kernel], ...] = (
    ApplyFiltersOp,
    ApplyBlocksOp,
    VAddOp,
    ActivationOp,
    PoolOp,
    SoftmaxOp,
    InterleaveOp,
    LRNOp,
    ConcatOp,
    ScanOp,
    NestOp,
    WrittenProductOp,
    ArgOp,
    GatherOp,
    PutOp,
    RecurrentOp,
    TopKOp,
)
KernelDialect = Dialect("kernel", list(KERNELS), [EpilogueAttr, PartsAttr, RowTilesAttr])

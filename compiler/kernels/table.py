"""All kernels: a new one is one new file and one row here."""

from __future__ import annotations

from xdsl.ir import Operation

from compiler.kernels.activation import ACTIVATION
from compiler.kernels.apply_blocks import APPLY_BLOCKS
from compiler.kernels.apply_filters import APPLY_FILTERS
from compiler.kernels.concat import CONCAT
from compiler.kernels.elementwise import ELEMENTWISE
from compiler.kernels.kernel import Kernel
from compiler.kernels.lrn import LRN
from compiler.kernels.pool import POOL
from compiler.kernels.relayout import RELAYOUT
from compiler.kernels.softmax import SOFTMAX
from compiler.kernels.vadd import VADD

KERNELS: tuple[Kernel, ...] = (
    APPLY_FILTERS,
    APPLY_BLOCKS,
    VADD,
    ACTIVATION,
    POOL,
    ELEMENTWISE,
    SOFTMAX,
    LRN,
    RELAYOUT,
    CONCAT,
)
BY_SPAT: dict[type[Operation], Kernel] = {kernel.spat: kernel for kernel in KERNELS}
BY_PIM: dict[type[Operation], Kernel] = {kernel.pim: kernel for kernel in KERNELS}

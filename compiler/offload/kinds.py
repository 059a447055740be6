"""Element types of MLIR as those of the machine."""

from __future__ import annotations

from xdsl.ir import Attribute

from compiler.interpreter.host.values import numpy_type
from emu.isa.dtypes import DType


def dtype_of_element(kind: Attribute) -> DType:
    """The type of the machine for elements that crossbars hold."""
    return DType.of(numpy_type(kind))

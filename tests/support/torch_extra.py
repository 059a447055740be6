"""Whether torch is there: without it its tests are skipped, unless TORCH_IS_TESTED says that this would be a fault."""

from __future__ import annotations

import importlib
import os
from typing import Any

import pytest

# What the quantisers of torchao say of themselves when they are imported, or used.
OF_TORCHAO = (
    "ignore:XNNPACKQuantizer is deprecated:UserWarning",
    "ignore:The input of maxpool2d is not quantized:UserWarning",
    "ignore:.torch.jit.script_method. is deprecated:DeprecationWarning",
)


def imported(name: str = "torch") -> Any:
    """The module, or the end of the test file that asks for it."""
    if os.environ.get("TORCH_IS_TESTED"):
        return importlib.import_module(name)
    return pytest.importorskip(name)

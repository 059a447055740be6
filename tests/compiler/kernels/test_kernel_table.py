"""Every kernel has its test in the small."""

from pathlib import Path

import pytest

from compiler.kernels.table import KERNELS

FILES = Path(__file__).parents[2] / "filecheck" / "kernels"


@pytest.mark.parametrize("kind", KERNELS, ids=lambda kind: kind.name)
def test_its_instructions_are_tested_in_ten_lines_of_ir(kind):
    assert any(f"  {kind.name} " in path.read_text() for path in FILES.glob("*.mlir"))

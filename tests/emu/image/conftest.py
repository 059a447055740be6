"""The image that these tests read and damage."""

from pathlib import Path

import pytest
from two_core_image import write


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Two cores, inputs and golden values; the test may change them."""
    return write(tmp_path / "out")

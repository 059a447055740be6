"""Measures every row and the profile of resnet18, and writes docs/performance.md: `python benchmarks/all.py`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from launch.cli import main  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"

if __name__ == "__main__":
    main(["bench", "--all", "--profile", "resnet18", "--write", str(PAGE), *sys.argv[1:]])

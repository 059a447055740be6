"""The command `emu`: finds its own packages, whatever else on the path is called `emu`, `compiler` or `launch`."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

HOUSES = ("emu", "compiler", "launch")


def main() -> None:
    """Run `emu` with the arguments of the process."""
    home = str(Path(__file__).resolve().parent)
    sys.path.insert(0, home)  # before PYTHONPATH, where ROS 2, for one, has a package `launch`
    for house in HOUSES:
        import_module(house)
    sys.path.remove(home)  # what is imported from now on is found as usual
    import_module("launch.cli").main()


if __name__ == "__main__":
    main()

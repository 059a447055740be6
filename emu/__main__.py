"""`python -m emu`: the command `emu` of the installation that this package belongs to.

The machine does not import the command line: the command is found by its entry point, as the shell's `emu` is.
"""

import sys
from importlib import metadata

from emu import DISTRIBUTION

if __name__ == "__main__":
    try:
        commands = metadata.distribution(DISTRIBUTION).entry_points.select(group="console_scripts", name="emu")
    except metadata.PackageNotFoundError:
        print(f"error: {DISTRIBUTION} is not installed for {sys.executable}: use `python -m launch`", file=sys.stderr)
        sys.exit(2)
    for command in commands:
        command.load()()

"""How parameters are typed on the command line."""

from __future__ import annotations

from compiler.basis.options import CompileOptions
from emu.options import specs

# Those that are called otherwise.
SPELLED = {
    "input_file": "--input",
    "start": "--from",
    "form": "--format",
    "specs": "--chaos",
    **{name: spec.flag for name, spec in specs(CompileOptions).items() if spec.flag},
}


def flag_of(name: str) -> str:
    """The option of the parameter `name`."""
    return SPELLED.get(name, f"--{name.replace('_', '-')}")

"""What the passes know beside the module: the chip, and the dialects of host programs that call it."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.context import Context
from xdsl.passes import ModulePass

from compiler.dialects.cim import Cim
from compiler.dialects.cinm import Cinm
from compiler.dialects.linalg.dialects import BUFFER_DIALECTS, TEXT_DIALECTS
from compiler.dialects.memristor import Memristor
from compiler.dialects.neuro import Neuro
from compiler.dialects.transform.dialect import Transform
from emu.arch import Arch
from emu.errors import InputError


class OffloadContext(Context):
    """A context that reads host programs, for a device of `cores` cores of a chip."""

    def __init__(self, arch: Arch, cores: int) -> None:
        super().__init__()
        self.arch, self.cores = arch, cores
        self.make_pass: Callable[[str], ModulePass] = _none  # of an entry that a script names; the pipeline knows them
        for dialect in (*TEXT_DIALECTS, *BUFFER_DIALECTS, Cim, Cinm, Memristor, Neuro, Transform):
            self.load_dialect(dialect)


def _none(entry: str) -> ModulePass:
    raise InputError(f"there is no pass {entry!r}")


def chip_of(ctx: Context) -> OffloadContext:
    """The context of a pass of this package."""
    return cast(OffloadContext, ctx)

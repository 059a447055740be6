"""What the passes know beside the module: the chip, and the dialects of host programs that call it."""

from __future__ import annotations

from typing import cast

from xdsl.context import Context

from compiler.dialects.cim import Cim
from compiler.dialects.cinm import Cinm
from compiler.dialects.linalg.dialects import BUFFER_DIALECTS, TEXT_DIALECTS
from compiler.dialects.memristor import Memristor
from emu.arch import Arch


class OffloadContext(Context):
    """A context that reads host programs, for a device of `cores` cores of a chip."""

    def __init__(self, arch: Arch, cores: int) -> None:
        super().__init__()
        self.arch, self.cores = arch, cores
        for dialect in (*TEXT_DIALECTS, *BUFFER_DIALECTS, Cim, Cinm, Memristor):
            self.load_dialect(dialect)


def chip_of(ctx: Context) -> OffloadContext:
    """The context of a pass of this package."""
    return cast(OffloadContext, ctx)

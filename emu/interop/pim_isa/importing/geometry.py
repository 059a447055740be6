"""How large crossbars are: as the configuration of the chip says, or else the program's own `config`."""

from __future__ import annotations

from dataclasses import dataclass

from emu.image.json_fields import Field
from emu.interop.pim_isa.format.config import ChipConfig, MatrixConfig

_MOST = 1 << 20


@dataclass(frozen=True, slots=True)
class Geometry:
    """Rows and bit lines of a crossbar, bits of a cell, crossbars of a core."""

    rows: int
    cols: int
    cell_precision: int
    crossbars: int

    def outputs(self, bits: int) -> int:
        """Weights of so many bits that stand in one row of a crossbar."""
        return self.cell_precision * self.cols // bits


def geometry_of(chip: ChipConfig | None, settings: Field | None) -> Geometry:
    """Of the configuration if there is one; of the program file's `config` else; raises ProgramError naming the key."""
    if chip is not None:
        matrix = chip.core_config.matrix_config
        return Geometry(*matrix.xbar_size, matrix.cell_precision, matrix.xbar_array_count)
    usual, members = MatrixConfig(), settings.mapping() if settings is not None else {}
    rows, cols = usual.xbar_size
    if "xbar_size" in members:
        rows, cols = (item.integer(1, _MOST) for item in members["xbar_size"].exactly(2))
    found = {"cell_precision": usual.cell_precision, "xbar_array_count": usual.xbar_array_count}
    for key, most in (("cell_precision", 64), ("xbar_array_count", _MOST)):
        if key in members:
            found[key] = members[key].integer(1, most)
    return Geometry(rows, cols, found["cell_precision"], found["xbar_array_count"])

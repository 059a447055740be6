"""All models of cells by name: ours, a row each, and classes of installed packages."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points

from emu.analog.cells.formulas import FORMULAS
from emu.analog.cells.measured import MEASURED
from emu.analog.cells.model import ROLES, CellModel, has_role
from emu.analog.cells.phase_change import PHASE_CHANGE
from emu.analog.cells.sonos import Sonos
from emu.errors import ArchError, shown
from emu.wording import nearest, visible

ENTRY_POINTS = "reram_emu.cells"
CELLS: dict[str, CellModel] = {**FORMULAS, **MEASURED, "crosssim-sonos": Sonos(), **PHASE_CHANGE}


def cell_models() -> Iterator[tuple[str, CellModel]]:
    """All models by name; raises ArchError for one of an installed package that cannot be made."""
    yield from CELLS.items()
    for entry in _installed().values():
        yield entry.name, _made(entry)


def model_of(name: str, role: str) -> CellModel:
    """The model that a key of [device], its role, names; raises ArchError if it is unknown or has no such role."""
    installed = {} if name in CELLS else _installed()
    if name not in CELLS and name not in installed:
        guess = nearest(name, [*CELLS, *installed])
        raise ArchError(f"device.{role} {shown(name)} is no model of cells: `emu arch --cells` lists them{guess}")
    model = CELLS[name] if name in CELLS else _made(installed[name])
    if not has_role(model, role):
        has = ", ".join(f"device.{other}" for other in ROLES if has_role(model, other)) or "nothing"
        raise ArchError(f"device.{role} {shown(name)}: this model of cells is of {has} alone")
    return model


def _installed() -> dict[str, EntryPoint]:
    """Models of installed packages, without those that have a name of ours."""
    return {entry.name: entry for entry in entry_points(group=ENTRY_POINTS) if entry.name not in CELLS}


def _made(entry: EntryPoint) -> CellModel:
    try:
        model = entry.load()()
    except Exception as error:  # of a foreign module
        why = visible(str(error)) or type(error).__name__
        raise ArchError(f"the model of cells {shown(entry.name)}, {entry.value}, cannot be made: {why}") from None
    if not isinstance(model, CellModel):
        raise ArchError(
            f"the model of cells {shown(entry.name)}, {entry.value}, is no emu.analog.cells.model.CellModel"
        )
    return model

"""Models of cells for `emu arch --cells`: as a table and their meanings, and as plain values for --json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from launch.text.answer import Answer, Table

if TYPE_CHECKING:
    from emu.analog.cells.model import CellModel
    from emu.arch import Arch

COLUMNS = ("model of cells", "for the keys", "depends on")


def all_cells() -> Answer:
    """All models: which keys of [device] may name each, what else of the chip it needs, what it is, who says so."""
    from emu.analog.cells.table import cell_models

    models = [_values(name, model) for name, model in cell_models()]
    rows = [(each["name"], ", ".join(each["keys"]), ", ".join(each["depends"])) for each in models]
    meanings = (f"{each['name']}: {each['meaning']}. Source: {each['source']}" for each in models)
    return Answer({"cells": models}, [Table("", COLUMNS, rows, "lll"), *meanings])


def check_cells(arch: Arch) -> None:
    """Raises ArchError if the chip names a model that does not exist, or one that it cannot have."""
    from emu.analog.cells.cells import cells_of

    cells_of(arch)


def _values(name: str, model: CellModel) -> dict[str, Any]:
    from emu.analog.cells.model import ROLES, SIGMAS, has_role

    roles = [role for role in ROLES if has_role(model, role)]
    sigmas = [SIGMAS[role] for role in roles if role in SIGMAS and model.needs_sigma]
    return {
        "name": name,
        "keys": [f"device.{role}" for role in roles],
        "depends": [f"device.{key}" for key in (*sigmas, *model.keys)],
        "meaning": model.meaning,
        "source": model.source or "not given",
    }

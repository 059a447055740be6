"""The cost models by name: `timing.model` of a chip picks one."""

from __future__ import annotations

from collections.abc import Mapping

from emu.timing.models.cim_mlc import CIM_MLC
from emu.timing.models.isaac import ISAAC
from emu.timing.models.pipeline import PIPELINE
from emu.timing.models.puma import PUMA
from emu.timing.models.row import Model

MODELS: Mapping[str, Model] = {model.name: model for model in (PIPELINE, ISAAC, PUMA, CIM_MLC)}

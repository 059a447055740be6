"""Verifies the levels of random networks under random schedules, on the sample that is drawn with them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from random_graphs import Case

from compiler.api import compile_request
from compiler.request import make_request
from emu.arch import Arch
from emu.errors import EmuError
from launch.levels.finding import Levels
from launch.levels.verifying import Verification, verify_levels


def verified(case: Case, arch: Arch, options: dict[str, Any]) -> Levels | str:
    """What the levels and the programs of a case say; why it is refused, if the compiler refuses it."""
    try:
        request = make_request(case.model, arch, **{"cores": 64} | options)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            compile_request(request, out)
            return verify_levels(
                Verification(request=request, image=out, inputs=case.sample, golden=case.wanted, quiet=True)
            )
    except EmuError as error:
        return str(error)

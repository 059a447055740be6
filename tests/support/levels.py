"""Verifies the levels of random networks under random schedules, on the sample that is drawn with them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from random_graphs import Case

from compiler.api import compile_request
from compiler.request import CompileRequest, compile_options
from emu.arch import Arch
from emu.errors import EmuError
from launch.levels.finding import Levels
from launch.levels.verifying import Verification, verify_levels


def verified(case: Case, arch: Arch, options: dict[str, Any]) -> Levels | str:
    """What the levels and the programs of a case say; why it is refused, if the compiler refuses it."""
    own = ("cores", "packing", "placement", "granularity", "segments")
    given = {name: options[name] for name in own if name in options}
    schedule = {name: value for name, value in options.items() if name not in own}
    try:
        compiling = compile_options(
            given.pop("cores", 64), **{"packing": "dense", "placement": "frugal"} | given, arch=arch
        )
        request = CompileRequest(model=case.model, arch=arch, options=compiling, **schedule)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            compile_request(request, out)
            return verify_levels(
                Verification(request=request, image=out, inputs=case.sample, golden=case.wanted, quiet=True)
            )
    except EmuError as error:
        return str(error)

"""Measures cases by what `emu export`, `emu compile`, `emu time` and `emu offload` run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from emu.arch import Arch
from emu.arch.derived import derived
from emu.arch.read import load_arch
from emu.errors import EmuError
from emu.noc.ports.port import FlowControl
from emu.output.temporary import remove
from emu.timing.basis.refused import TimingRefused
from launch.images.compilation import CompileReport, compile_image
from launch.papers.frame.networks import network_file
from launch.papers.schedules.case import TYPES, FigurePoint, PointOutcome
from launch.papers.schedules.offloaded import outcome_of
from launch.timing.energy import energy_report
from launch.timing.peak import peak_of
from launch.timing.timed_image import TimedImage, period_of, time_image

REFUSED = 2


def measure(folder: str, options: Mapping[str, Any], **given: Any) -> dict[str, Any]:
    """The fields of the `PointOutcome` of a case, of which `given` are the fields; or the reason why there is none.

    Raises InputError for a network that there is not.
    """
    case = FigurePoint(**given)
    return MEASURED[case.kind](case, Path(folder))


def _offloaded(case: FigurePoint, folder: Path) -> dict[str, Any]:
    try:
        return asdict(outcome_of(case))
    except EmuError as error:
        return {"reason": str(error), "exit_code": REFUSED}


def _compiled(case: FigurePoint, folder: Path) -> dict[str, Any]:
    """Compile and time; what is refused on the way is the reason."""
    model, out = network_file(case.network, TYPES[case.types], folder), folder / f"image-{os.getpid()}"
    try:
        chip = derived(load_arch(case.chip), case.changes)
        compiled = compile_image(
            model,
            out,
            arch=chip,
            cores=case.cores or chip.all_cores,
            segments=case.segments,
            golden="none",
            quiet=True,
            no_check=True,
            **case.options,
        )
        timed = time_image(out, None, FlowControl.parse(case.flow), case.samples)
        return asdict(_timed(case, chip, compiled, timed))
    except EmuError as error:
        names = {f"{model}: ": "", f"{out}: ": "", str(model): case.network, str(out): case.network}
        reason = str(error)
        for written, meant in names.items():
            reason = reason.replace(written, meant)
        return {"reason": reason, "exit_code": REFUSED}
    finally:
        if out.exists():
            remove(out)


MEASURED: Mapping[str, Callable[[FigurePoint, Path], dict[str, Any]]] = {"compiled": _compiled, "offloaded": _offloaded}


def _timed(case: FigurePoint, chip: Arch, compiled: CompileReport, timed: TimedImage) -> PointOutcome:
    period, turn = period_of(timed.timing)
    energy = energy_report(timed)
    peak, no_peak = None, ""
    if case.peak:
        try:
            peak = peak_of(timed)
        except TimingRefused as refused:
            no_peak = str(refused)
    return PointOutcome(
        cores=compiled.result.cores,
        crossbars=compiled.result.crossbars,
        latency_ps=timed.timing.latency,
        period_ps=period,
        steady=bool(turn),
        energy_pj=None if energy is None else energy.dynamic_pj + energy.static_pj(period),
        peak_mw=peak.chip_mw if peak is not None and chip.energy is not None else None,
        peak_crossbars=peak.crossbars.chip if peak is not None else None,
        no_peak=no_peak,
    )

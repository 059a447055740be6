"""Measures cases in this process, by what `emu export`, `emu compile` and `emu time` run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from emu.arch import Arch
from emu.arch_file import load_arch
from emu.errors import EmuError
from emu.noc.ports.port import Flow
from emu.output.scratch import ScratchFolder
from emu.output.temporary import remove
from emu.timing.basis.refused import TimingRefused
from emu.timing.energy.energy import static_pj
from launch.images.compilation import CompileReport, compile_image
from launch.schedules.case import Case, Outcome
from launch.schedules.kept import Kept
from launch.schedules.offloaded import outcome_of
from launch.sweeps.variations import changed_chip
from launch.timing.energy import energy_report
from launch.timing.peak import peak_of
from launch.timing.timed_image import TimedImage, period_of, time_image

TYPES = {"int8": "qoperator", "float32": None}  # the quantised form of a network with these types
SEED = 0


def measured(cases: Sequence[Case], kept: Kept, advance: Callable[[], None]) -> Iterator[tuple[Case, Outcome]]:
    """Each case with what came of it, as it is known; raises InputError for a network that there is not."""
    with ScratchFolder("schedules") as folder:
        for case in cases:
            outcome = kept.get(case)
            if outcome is None:
                outcome = MEASURED[case.kind](case, folder)
                kept.add(case, outcome)
            advance()
            yield case, outcome


def _compiled(case: Case, folder: Path) -> Outcome:
    return _outcome(case, _network(case, folder), folder / "image")


def _offloaded(case: Case, folder: Path) -> Outcome:
    began, found = time.monotonic(), Outcome()
    try:
        found = outcome_of(case)
    except EmuError as error:
        found = Outcome(reason=str(error))
    return replace(found, seconds=round(time.monotonic() - began, 1))


MEASURED: Mapping[str, Callable[[Case, Path], Outcome]] = {"compiled": _compiled, "offloaded": _offloaded}


def _network(case: Case, folder: Path) -> Path:
    """The network's file, written once."""
    path = folder / f"{case.network}-{case.types}.onnx"
    if not path.exists():
        from compiler.zoo import build
        from compiler.zoo.quantised import quantised

        model, form = build(case.network, SEED), TYPES[case.types]
        model = model if form is None else quantised(model, form, SEED)
        path.write_bytes(model.SerializeToString(deterministic=True))
    return path


def _outcome(case: Case, model: Path, out: Path) -> Outcome:
    """Compile and time; what is refused on the way is the reason."""
    began, found = time.monotonic(), Outcome()
    try:
        chip = changed_chip(load_arch(case.chip), case.changes)
        compiled = compile_image(
            model,
            out,
            arch=chip,
            cores=case.cores or chip.cores,
            segments=case.segments,
            golden="none",
            quiet=True,
            no_check=True,
            **case.options,
        )
        found = _timed(case, chip, compiled, time_image(out, None, Flow.parse(case.flow), case.samples))
    except EmuError as error:
        names = {f"{model}: ": "", f"{out}: ": "", str(model): case.network, str(out): case.network}
        reason = str(error)
        for written, meant in names.items():
            reason = reason.replace(written, meant)
        found = Outcome(reason=reason)
    finally:
        if out.exists():
            remove(out)
    return replace(found, seconds=round(time.monotonic() - began, 1))


def _timed(case: Case, chip: Arch, compiled: CompileReport, timed: TimedImage) -> Outcome:
    period, turn = period_of(timed.timing)
    energy = energy_report(timed)
    peak, no_peak = None, ""
    if case.peak:
        try:
            peak = peak_of(timed)
        except TimingRefused as refused:
            no_peak = str(refused)
    return Outcome(
        cores=compiled.result.cores,
        crossbars=compiled.result.crossbars,
        latency_ps=timed.timing.latency,
        period_ps=period,
        steady=bool(turn),
        energy_pj=None if energy is None else energy.dynamic_pj + static_pj(sum(energy.static.used.values()), period),
        peak_mw=peak.chip_mw if peak is not None and chip.energy is not None else None,
        peak_crossbars=peak.crossbars.chip if peak is not None else None,
        no_peak=no_peak,
    )

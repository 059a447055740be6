"""The case of a point: compiled, timed and priced, each of which is done once for all points that share it."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from emu.arch import Arch
from emu.arch.read import arch_from_dict
from emu.arch.write import arch_to_toml
from emu.errors import EmuError, worded
from emu.noc.ports.port import FlowControl
from launch.campaigns.child import answer_of
from launch.sweeps.answering import answered_data, ideal_answers
from launch.sweeps.data import SweepData
from launch.system.by_name import named
from launch.timing.priced import priced, priced_chip, timed_facts
from launch.timing.timed_image import read_programs, time_programs

FUNCTION = "launch.sweeps.point_case:run_point"
COMPILE = ("--golden", "none")
_CHIP = "CHIP"  # what sentences call the chip


def run_point(
    subject: str,
    chip: str,
    image: str,
    times: str,
    compiling: Sequence[str],
    samples: int,
    flow: str | None,
    data: Mapping[str, Any] | None = None,
    answers: str = "",
    ideal: str = "",
) -> Mapping[str, Any]:
    """Figures of the chip that `chip` describes, JSON of plain values, with a network; or an error.

    Programs of a model are in the directory `image` (empty: those of the subject), or put there; so is what is known of
    their time in the file `times`, what they answer to `data`, the values of a `SweepData`, in `answers`, and what they
    answer on ideal crossbars in `ideal`.
    """
    arch = replace(arch_from_dict(json.loads(chip), "chip"), origin=_CHIP)
    with worded(named("launch.cli.options:as_option")):
        if image:
            found = _once(f"{image}.json", lambda: _compiled(subject, arch, image, compiling))
            if found:
                return found
        if data is not None and arch.timing is None:  # nothing is known of times: answers are compared alone
            found = priced_chip(arch)
        else:
            facts = _once(times, lambda: _timed(Path(image or subject), arch, samples, flow, image))
            found = facts if "error" in facts else priced(facts, arch)
        if data is None or "error" in found:
            return found
        answered = _once(answers, lambda: _answered(Path(image or subject), arch, SweepData(**data), ideal, image))
    return answered if "error" in answered else {**found, "figures": found["figures"] | answered}


def _once(file: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What `make` gives, unless another process has made it, or does: then wait for it."""
    kept = Path(file)
    with Path(f"{file}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            return dict(json.loads(kept.read_text("utf-8")))
        made = make()
        kept.write_text(json.dumps(made), "utf-8")
        return made


def _compiled(subject: str, arch: Arch, image: str, compiling: Sequence[str]) -> dict[str, Any]:
    """Compile a model; the error, if there is one."""
    file = Path(f"{image}.toml")
    file.write_text(arch_to_toml(arch), "utf-8")
    found = answer_of(("compile", subject, "-o", image, "--arch", str(file), *COMPILE, *compiling))
    kept = {name: found[name] for name in ("error", "exit_code") if name in found}
    return {**kept, "error": _reason(kept["error"], str(file), image)} if "error" in kept else {}


def _timed(path: Path, arch: Arch, samples: int, flow: str | None, image: str) -> dict[str, Any]:
    """The facts of the times of programs, or the error."""
    try:
        found, programs = read_programs(path)
        return timed_facts(
            time_programs(found, programs, arch, FlowControl.parse(flow) if flow else FlowControl(), samples)
        )
    except EmuError as error:
        return {"error": _reason(str(error), _CHIP, image), "exit_code": error.exit_code}


def _answered(path: Path, arch: Arch, data: SweepData, ideal: str, image: str) -> dict[str, Any]:
    """Figures of the answers of programs to data, or the error."""
    try:
        with Path(f"{ideal}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            wanted = ideal_answers(path, data, Path(ideal))
        return answered_data(path, arch, data, wanted)
    except EmuError as error:
        return {"error": _reason(str(error), _CHIP, image), "exit_code": error.exit_code}


def _reason(sentence: str, chip: str, image: str) -> str:
    """Why something has failed; files of the sweep itself are named by what they are."""
    names = ((f"architecture {chip}", "the chip"), (chip, _CHIP), *([(image, "the compiled model")] if image else ()))
    for written, meant in names:
        sentence = sentence.replace(written, meant)
    return sentence

"""Lines of --verbose during a run: image and inputs, which process is which core, and times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping

from emu.image.digest import digest
from emu.image.manifest_json import MANIFEST_FILE
from launch.processes.merged_log import ALL
from launch.runs.preparing import PreparedJob
from launch.runs.request import Job
from launch.runs.result import RunResult
from launch.samples.binding import digest_of_samples
from launch.system.process_state import age

Tell = Callable[[str], None]
GIVEN = {
    "file": "from the file",
    "values": "from the command line",
    "default": "stored in the image",
    "seed": "drawn from the seed",
}


def what_runs(prepared: PreparedJob) -> Iterator[str]:
    """The image, its inputs, and how it is run, as lines."""
    job, model, seed = prepared.job, prepared.image.manifest.model, prepared.seed
    yield f"image {job.out}, manifest sha256 {digest(job.out / MANIFEST_FILE).sha256}"
    if model.sha256:
        yield f"model {model.name}, sha256 {model.sha256}"
    drawn = f", seed {seed}" if seed is not None else ""
    yield f"inputs {GIVEN[prepared.given]}{drawn}, sha256 {digest_of_samples(prepared.inputs)}"
    options = {**job.options.to_dict(), "repeat": job.repeat, "tolerance": job.tolerance}
    if job.analog:
        options |= {"analog": ", ".join(map(str, job.analog)), "trials": job.trials}
    if job.options.sequential:
        del options["transport"]
    yield ", ".join(f"{name} {value}" for name, value in options.items() if value not in (None, "", False))


def who_runs(processes: Mapping[str, int]) -> Iterator[str]:
    """Per process of a chip that has just started, by name: its number, and how long ago it was forked."""
    for name, process in processes.items():
        seconds = age(process)
        yield f"{name}: process {process}" + (f", started {seconds:.2f} s ago" if seconds is not None else "")


def times(began: float, prepared: float, result: RunResult, job: Job) -> Iterator[str]:
    """How long each phase took until now, and where the logs are; `began` and `prepared` as of `time.monotonic`."""
    ran = result.start_seconds + result.run_seconds
    rest = time.monotonic() - prepared - ran
    phases = {
        "check, inputs and golden values": prepared - began,
        "start": result.start_seconds,
        "run": result.run_seconds,
        "end and comparison": max(0.0, rest),
    }
    yield "times: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in phases.items())
    if job.options.log_dir:
        yield f"logs: {job.options.log_dir}, all of them in {ALL}.log"

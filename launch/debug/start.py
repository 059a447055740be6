"""Makes a session from the options of `emu debug`, stopped before the first instruction."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from emu.core.products.threads import one_blas_thread
from emu.debug.chip import SteppedChip
from emu.debug.session import Session
from emu.debug.subject import subject_of
from emu.errors import InputError
from emu.image.reader import open_image
from emu.image.segments import refuse_segments
from launch.debug.debugger import Debugger
from launch.debug.golden import GoldenValues
from launch.debug.tensors import DebugTensors
from launch.golden.fitting import check_model, of_model
from launch.runs.preparing import PreparedJob, choose_inputs, choose_steps
from launch.runs.request import Job
from launch.samples.input_values import split_inputs
from launch.samples.inputs import sample_count


@contextmanager
def started(out: Path, options: Mapping[str, Any], interrupted: Callable[[], bool]) -> Generator[Debugger]:
    """A debugger for the image directory `out`; while it is open, this process's BLAS uses one thread.

    `options` are those of the command line: input_file, stateful, initial, seed, model, golden, flow. Raises
    InputError, ProgramError.
    """
    image = open_image(out)
    refuse_segments(image)
    if not image.cores:
        raise InputError(f"{out} has no core with a program: there is nothing to step through")
    file, values = split_inputs(options["input_file"])
    model, golden = options["model"], options["golden"] or ""
    job = Job(
        out=out,
        input=file,
        values=values,
        stateful=options["stateful"],
        initial=options["initial"],
        seed=options["seed"],
        model=model,
        golden=golden,
    )
    if model:
        check_model(model, image.manifest, str(out))
        image = replace(image, manifest=of_model(image.manifest, model))
    steps = choose_steps(job, image)
    inputs, given = choose_inputs(job, image)
    subject = subject_of(image, inputs, sample_count(inputs), steps.initial if steps else {})
    with one_blas_thread():
        session = Session(SteppedChip(subject, options["flow"]), interrupted)
        tensors = DebugTensors(session.chip, image.manifest)
        yield Debugger(image, session, tensors, GoldenValues(PreparedJob(job, image, inputs, given, steps)))

"""Compiles a network, runs it and compares: `emu validate`, and the same from Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compiler.basis.options import NAMES
from compiler.evaluation import SOURCES
from emu.arch import Arch
from emu.arch.write import arch_to_toml
from emu.errors import InputError, option
from emu.image.npz import write_npz
from emu.image.reader import open_image
from emu.options import checked, given, refuse_together, specs, takes
from emu.output.scratch import ScratchFolder
from emu.output.whole_file import WholeFile, write_whole
from launch.golden.sources import ALIASES
from launch.images.cache import ImageCache, compile_or_find
from launch.images.compiled import Compiled
from launch.processes.options import RunOptions
from launch.processes.zygote_process import Zygotes, started_ahead
from launch.runs.artefacts import ARCH, IMAGE, Artefacts
from launch.runs.budget import OPTIONS, make_budget
from launch.runs.comparing import CompareOptions
from launch.runs.job import run_job
from launch.runs.preparing import choose_inputs
from launch.runs.repeating import arch_word, arguments, run_options, without
from launch.runs.report import RunReport
from launch.runs.request import Job
from launch.runs.validate_options import ValidateOptions

if TYPE_CHECKING:
    from launch.levels.finding import Levels
    from launch.runs.validate_options import Given

GOLDEN = (*SOURCES, *ALIASES, "none")


@dataclass(frozen=True, kw_only=True)
class Validation(ValidateOptions):
    """The parameters of `validate`: what to compile, run and compare."""

    def check(self) -> None:
        """Raise InputError for invalid values."""
        checked(self)
        refuse_together(Validation, {*given(self), *(() if self.input is None else ("input",))})
        if str(self.golden) not in GOLDEN and not Path(self.golden).is_file():
            known = ", ".join(GOLDEN)
            raise InputError(f"{option('golden')} {str(self.golden)!r} is unknown: use one of {known}, or an .npz file")
        if self.verify_levels and self.host_fallback:
            raise InputError(
                f"{option('verify_levels')} executes the levels of one program: leave {option('host_fallback')} out"
            )

    def title(self, model: Path) -> str:
        """The name of the run."""
        return self.name or model.stem

    def job(self, model: Path, options: RunOptions) -> Job:
        """The run, all but its image and inputs; raises InputError for a budget without a baseline."""
        bounds = {name: getattr(self, name) for name in OPTIONS}
        baseline = Path(self.baseline) if self.baseline else None
        budget = make_budget(bounds, baseline, self.title(model))
        golden, source = str(self.golden), str(self.golden) in GOLDEN[:-1]
        return Job(
            out=Path(),
            # What is stored in the image is of this evaluator.
            golden="" if source and self.input is None else golden,
            model=model if self.keep or (source and self.input is not None) else None,
            budget=budget if budget.bounds else None,
            options=options,
            check=False,  # the compilation has checked
            compiled_from=model,
            **{name: getattr(self, name) for name in specs(CompareOptions)} | {"keep": tuple(self.keep)},
        )

    def stored(self) -> dict[str, Any]:
        """The options of `compile_image`: golden values are stored for inputs that it draws."""
        golden = str(self.golden) if str(self.golden) in GOLDEN and self.input is None else "none"
        mapping = {name: getattr(self, name) for name in ("arch", *NAMES)}
        return mapping | {"golden": golden, "seed": self.seed, "samples": self.samples}

    def command(self, model: Path, options: RunOptions) -> list[str]:
        """The command line that does the same; arrays of `input` are none of it.

        An architecture that was made in Python is the file that the artefacts have of it.
        """
        plain = Validation()
        names = [each.name for each in dataclasses.fields(self)]  # also those that commands spell in their own ways
        own = {name: getattr(self, name) for name in names if getattr(self, name) != getattr(plain, name)}
        if isinstance(self.input, Mapping):
            del own["input"]
        if self.keep_artifacts is not None and self.made is not None:
            own["arch"] = Path(self.keep_artifacts) / self.title(model) / ARCH
        return ["emu", "validate", str(model.absolute()), *arguments(own | run_options(options))]

    @property
    def made(self) -> Arch | None:
        """The architecture if no preset and no file describes it."""
        return self.arch if isinstance(self.arch, Arch) and not arch_word(self.arch) else None


OWN = frozenset(each.name for each in dataclasses.fields(Validation))


@takes(Validation, RunOptions)
def validate(
    model: str | Path, arch: str | Arch = "default", *, zygotes: Zygotes | None = None, **named: Any
) -> RunReport:
    """Compile the ONNX file `model`, run it on core processes, and compare its outputs with golden ones.

    Parameters are those of `Validation` and `RunOptions`; `zygotes`, of `launch.warm_zygotes`, make many runs start
    faster. The report is what `emu validate` prints: `exit_code` 0 is right, 1 is wrong; `lines()` is its text. What is
    made is temporary, but for `keep_artifacts` and `cache`. Raises EmuErrors, each with one sentence.
    """
    options = RunOptions(**{name: value for name, value in named.items() if name not in OWN})
    own = {name: value for name, value in named.items() if name in OWN}
    validation, path = Validation(arch=arch, **own), Path(model)
    validation.check()
    command = tuple(validation.command(path, options)[1:])
    job = replace(validation.job(path, options), recorded=True, quiet=True, command=command)
    return compile_and_run(path, validation, job, zygotes=zygotes)[1]


def compile_and_run(
    model: Path, validation: Validation, job: Job, zygotes: Zygotes | None = None
) -> tuple[Compiled, RunReport]:
    """What was compiled, and how the run of `job`, whose `command` says how it was asked for, compares."""
    cache = nullcontext() if validation.cache is None else ImageCache(Path(validation.cache))
    with (
        _place(model, validation, ("emu", *job.command)) as (folder, artefacts),
        cache as images,
    ):
        compiled = compile_or_find(images, model, folder / IMAGE, quiet=job.quiet, **validation.stored())
        image = compiled.out or folder / IMAGE
        job = replace(job, out=image, warnings=compiled.warnings, **_input(validation.input, folder))
        if artefacts is not None:
            artefacts.image = image
            logs = None if job.options.sequential else job.options.log_dir or artefacts.logs
            job = replace(job, save=artefacts.outputs, artefacts=artefacts, options=replace(job.options, log_dir=logs))
        levels = _verified(model, image, validation, job) if validation.verify_levels else None
        with started_ahead(not job.options.sequential, zygotes) as source:
            report = replace(run_job(job, source), levels=levels)
        if artefacts is not None and report.exit_code:
            artefacts.failed(report.to_dict())
            report = replace(report, left=artefacts.note)
        return compiled, report


@contextmanager
def _place(model: Path, validation: Validation, command: Sequence[str]) -> Iterator[tuple[Path, Artefacts | None]]:
    """Where everything is made: in a temporary folder, or in one that stays if the run fails."""
    if validation.keep_artifacts is None:
        with ScratchFolder("validate") as folder:
            yield folder, None
        return
    repeating = without(command, "keep_artifacts")  # or else it would replace what it was started from
    with Artefacts(Path(validation.keep_artifacts), validation.title(model), repeating) as artefacts:
        if validation.made is not None:
            write_whole(artefacts.folder / ARCH, arch_to_toml(validation.made).encode())
        yield artefacts.folder, artefacts


def _verified(model: Path, image: Path, validation: Validation, job: Job) -> Levels:
    """What executing every level of the compilation says, of the first sample of the run."""
    from launch.levels.compiled import verify_compiled

    inputs, given = choose_inputs(job, open_image(image, verify=False))
    mapping = {name: value for name, value in validation.stored().items() if name not in ("golden", "seed", "samples")}
    return verify_compiled(
        model, image, inputs=None if given == "default" else inputs, tolerance=job.tolerance, quiet=job.quiet, **mapping
    )


def _input(given: Given, folder: Path) -> dict[str, Any]:
    """The fields of a job for the input; arrays go through a file."""
    if given is None:
        return {}
    if isinstance(given, tuple):
        return {"values": given}
    if not isinstance(given, Mapping):
        return {"input": Path(given)}
    with WholeFile(folder / "given.npz") as file:
        write_npz(file, given)
    return {"input": folder / "given.npz"}

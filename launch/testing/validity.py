"""An assertion that a network, compiled and run on core processes, computes what it should."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from onnx import ModelProto, save_model

from emu.arch import Arch
from emu.errors import EmuError, InputError
from emu.options import takes
from emu.output.scratch import ScratchFolder
from launch.processes.options import RunOptions
from launch.processes.zygote_process import Zygotes
from launch.runs.repeating import arch_word, without
from launch.runs.report import RunReport
from launch.runs.validation import Validation, validate

FILE = "model.onnx"  # where a model that is no file is written
WRONG = 1  # the exit code of a run whose results are wrong


@takes(Validation, RunOptions)
def assert_valid(
    model: str | Path | ModelProto,
    arch: str | Arch = "default",
    *,
    folder: str | Path | None = None,
    zygotes: Zygotes | None = None,
    **named: Any,
) -> RunReport:
    """Compile `model`, run it on core processes, compare with golden outputs; the report, if all is right.

    Takes the parameters of `launch.validate`. A model that is no file is written to `folder`, where it stays, or to a
    temporary one. Raises AssertionError if results are wrong, repetitions differ or a budget is exceeded; its text is
    what `emu validate` prints, and the command that repeats it. All else is raised as EmuErrors: models and options
    that are refused, traps, deadlocks, processes that died, timeouts, disturbed runs that ended so, and chaos that
    never triggered.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    with _file(model, folder) as path:
        try:
            report = validate(path, arch, zygotes=zygotes, **named)
        except EmuError as error:  # one sentence says it all
            raise error.with_traceback(None) from None
    if report.exit_code == WRONG:
        raise AssertionError(_text(report, path, {"arch": arch, **named}))
    if report.exit_code:
        error = EmuError(report.reason)
        error.exit_code = report.exit_code
        raise error
    return report


@contextmanager
def _file(model: object, folder: str | Path | None) -> Iterator[Path]:
    """The file of `model`; raises InputError for what is none, or cannot be written."""
    if isinstance(model, str | os.PathLike):
        yield Path(model)
    elif not isinstance(model, ModelProto):
        raise InputError(f"a model is a path or an onnx.ModelProto, not {type(model).__name__}")
    elif folder is not None:
        yield _written(model, Path(folder))
    else:
        with ScratchFolder("testing") as scratch:
            yield _written(model, scratch)


def _written(model: ModelProto, folder: Path) -> Path:
    try:
        save_model(model, folder / FILE)
    except (OSError, ValueError) as error:  # no such folder, or too large for one file
        raise InputError(f"the model cannot be written to {folder / FILE}: {error}") from None
    return folder / FILE


def _text(report: RunReport, path: Path, named: dict[str, Any]) -> str:
    """What the command prints about a wrong run, between why it is wrong and how to repeat it."""
    from launch.cli.answering import print_answer
    from launch.runs.answer import run_answer

    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        print_answer(run_answer(report), as_json=False)
    words, lost = ["emu", *without(report.record["command"], "cache")], []  # which may be as short-lived as the test
    if not path.exists():
        words = [FILE if word == str(path.absolute()) else word for word in words]
        lost.append(f"(the model was a temporary file: first write it to {FILE} with onnx.save)")
    if isinstance(named.get("input"), Mapping):
        lost.append("(the command lacks the inputs of the test: write them to a file, and name it, too)")
    if isinstance(named["arch"], Arch) and not arch_word(named["arch"]):
        lost.append("(the architecture was made by the test: write emu.arch.write.arch_to_toml of it to that file)")
    repeat = f"repeat it: {shlex.join(words)}"
    return "\n".join([f"{path.name}: {report.reason}", printed.getvalue().rstrip(), repeat, *lost])

"""Artefacts of a failed run: image, inputs, outputs, golden values, logs, report, and a script that repeats it."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from emu.errors import EmuError, InputError, option
from emu.image.npz import write_npz
from emu.output.failures import cannot_write
from emu.output.whole_file import WholeFile, write_whole
from launch.runs.repeating import arguments

REPEAT, REPORT, INPUTS, GOLDEN, OUTPUTS, IMAGE, LOGS, ARCH = (
    *("repeat.sh", "report.json", "inputs.npz", "golden.npz", "outputs.npz", "image", "logs", "arch.toml"),
)
_FIRST = "#!/bin/sh\n# Written by emu: what a validation run left, to run it again.\n"


class Artefacts:
    """A context manager that gives the folder `directory/name`, which stays if the run fails, and else goes.

    What an earlier run of this name left there is replaced; anything else there is refused. Raises InputError.
    """

    def __init__(self, directory: Path, name: str, command: Sequence[str] = ()) -> None:
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise InputError(f"{option('name', name)} is no name of a folder: give one without /")
        self.folder = directory / name
        self.image = self.folder / IMAGE  # copied into the folder if it is elsewhere
        self._command = command  # of the shell, as it was typed
        self._launch: list[str] = []
        self._failed = False

    @property
    def outputs(self) -> Path:
        """The file of finished samples."""
        return self.folder / OUTPUTS

    @property
    def logs(self) -> Path:
        """The folder of the logs."""
        return self.folder / LOGS

    def __enter__(self) -> Artefacts:
        try:
            self._make_room()
            self.folder.mkdir(parents=True)
        except OSError as error:
            raise cannot_write(self.folder, error) from None
        self._write_repeat()  # first: it marks the folder as ours
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if value is None and not self._failed:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        if self.image.parent != self.folder and self.image.is_dir():
            shutil.copytree(self.image, self.folder / IMAGE)
        if value is not None:
            code = value.exit_code if isinstance(value, EmuError) else None
            self._report({"error": str(value), "exit_code": code})
            value.add_note(self.note)

    @property
    def note(self) -> str:
        """A sentence that names the folder."""
        return f"what the run left is in {self.folder}: repeat it with sh {shlex.quote(str(self.folder / REPEAT))}"

    def keep(self, inputs: Mapping[str, np.ndarray], golden: Mapping[str, np.ndarray] | None) -> None:
        """Write the inputs, and the golden outputs if there are any, (samples,) + shape each."""
        for file_name, arrays in ((INPUTS, inputs), (GOLDEN, golden)):
            if arrays is not None:
                with WholeFile(self.folder / file_name) as file:
                    write_npz(file, arrays)

    def launches(self, inputs: Path | None, options: Sequence[str]) -> None:
        """Set the command that runs the image again: with `inputs` (None: those kept here) and further `options`."""
        here = self.folder.absolute()
        golden = str(here / GOLDEN) if (here / GOLDEN).exists() else "none"
        files = arguments({"input": (inputs or here / INPUTS).absolute(), "golden": golden})
        self._launch = ["emu", "launch", str(here / IMAGE), *files, *options]
        self._write_repeat()

    def failed(self, report: Mapping[str, Any]) -> None:
        """The run has ended with the wrong result that `report` describes, as plain values."""
        self._failed = True
        self._report(report)

    def _make_room(self) -> None:
        if not self.folder.exists():
            return
        mark = self.folder / REPEAT
        if mark.is_file() and mark.read_text(errors="replace").startswith(_FIRST):
            shutil.rmtree(self.folder)
        elif not self.folder.is_dir() or any(self.folder.iterdir()):
            raise InputError(
                f"{self.folder} is there and was not left by a validation run: remove it, or name another folder with "
                f"{option('keep_artifacts')}"
            )
        else:
            self.folder.rmdir()

    def _write_repeat(self) -> None:
        commands = shlex.quote(str(Path(sys.executable).parent))
        lines = [_FIRST + f"cd {shlex.quote(str(Path.cwd()))} || exit"]
        lines.append(f'command -v emu > /dev/null || PATH={commands}:"$PATH"')
        if self._launch:
            lines.append(f"# the compiled image alone: {shlex.join(self._launch)}")
        if self._command:
            lines.append(shlex.join(self._command))
        elif self._launch:
            lines.append(shlex.join(self._launch))
        write_whole(self.folder / REPEAT, ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape"))

    def _report(self, report: Mapping[str, Any]) -> None:
        text = json.dumps(report, indent=1, default=str) + "\n"
        write_whole(self.folder / REPORT, text.encode("utf-8", "surrogateescape"))

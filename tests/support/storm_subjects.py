"""What a storm of kills goes over: four commands, what they write, and what of it is right."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from emu.image.npz import read_npz, write_npz
from launch.samples.binding import CHECKSUM, LENGTH, MAGIC
from launch.samples.store import INDEX

EXAMPLES = Path(__file__).parents[2] / "examples"
DIGITS, INPUTS = EXAMPLES / "digits_cnn.onnx", EXAMPLES / "digits_test.npz"
MAPPING = ["--arch", "tiny", "--cores", "16", "--placement", "pack"]
MAIN = "from launch.cli import main; main()"
SAMPLES = 450
OUTPUT = 40  # bytes of one sample's output


@dataclass
class Stage:
    """What all runs share: image, inputs, what is right, and how long an undisturbed run takes."""

    folder: Path
    seconds: dict[str, float] = field(default_factory=dict)
    saved: bytes = b""
    image: str = ""  # digest

    def finished(self, folder: Path) -> int:
        """Whole samples in the side file of an interrupted run."""
        side = folder / "out" / "out.npz.partial"
        if not side.exists():
            return 0
        data = side.read_bytes()
        start = len(MAGIC) + LENGTH.size
        if len(data) < start:
            return 0
        header = start + LENGTH.unpack(data[len(MAGIC) : start])[0] + CHECKSUM
        return max(0, (len(data) - header) // (INDEX.size + OUTPUT + CHECKSUM))


@dataclass(frozen=True)
class Subject:
    """One command; `wrong` says what is wrong with a run that ended well."""

    name: str
    arguments: Callable[[Stage, Path], list[object]]
    wrong: Callable[[Stage, Path], str]
    writes: tuple[str, ...] = ()  # what may stand in its output folder
    resumes: bool = False

    def left(self, folder: Path) -> list[str]:
        """Files that nobody wants."""
        names = [path for path in (folder / "out").iterdir() if path.name not in self.writes]
        return [f"file {path.relative_to(folder)}" for path in (*names, *(folder / "tmp").iterdir())]


class Started:
    """A run of a subject in a folder of its own, from the moment that it hears signals."""

    def __init__(self, stage: Stage, subject: Subject, folder: Path, *options: str) -> None:
        self.subject, self.code = subject, None
        for name in ("out", "tmp"):
            (folder / name).mkdir(exist_ok=True)
        places = dict.fromkeys(("TMPDIR", "XDG_RUNTIME_DIR"), str(folder / "tmp"))
        arguments = [*subject.arguments(stage, folder / "out"), *options]
        self._said, self._stderr = (folder / f"{name}.txt" for name in ("stdout", "stderr"))
        with self._said.open("wb") as stdout, self._stderr.open("wb") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-c", MAIN, *map(str, arguments)],
                env={**os.environ, **places},
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
        self.pid = self._process.pid
        while not self.is_over() and not self._hears():
            time.sleep(0.001)

    def _hears(self) -> bool:
        """Whether handlers are there; before that, a signal ends Python itself."""
        with contextlib.suppress(OSError, StopIteration):
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
            caught = next(int(line.split()[1], 16) for line in lines if line.startswith("SigCgt:"))
            return bool(caught >> (signal.SIGHUP - 1) & 1)
        return False

    def is_over(self) -> bool:
        return self._process.poll() is not None

    def end(self, patience: float) -> str | None:
        """Wait for the end: what was said on stderr; None if it did not come, and was made."""
        try:
            self.code = self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.code = self._process.wait()
            return None
        return self._stderr.read_text(errors="replace")

    def report(self) -> dict[str, object]:
        """The JSON object on stdout."""
        return json.loads(self._said.read_text())


def _launch(stage: Stage, out: Path) -> list[object]:
    inputs = ["--input", stage.folder / "in.npz", "--golden", "none"]
    return ["launch", stage.folder / "image", *inputs, "--save", out / "out.npz", "--timeout", "60", "--json"]


def _other_samples(stage: Stage, folder: Path) -> str:
    path = folder / "out" / "out.npz"
    return "" if path.exists() and path.read_bytes() == stage.saved else "out.npz differs from the undisturbed run's"


def _other_image(stage: Stage, folder: Path) -> str:
    return "" if digest(folder / "out" / "image") == stage.image else "the image differs from the undisturbed one"


def _failed(stage: Stage, folder: Path) -> str:
    report = json.loads((folder / "stdout.txt").read_text())
    return "" if report.get("exit_code", 0) == 0 and not report.get("errors") else f"the report says {report}"


SUBJECTS = (
    Subject("launch", _launch, _other_samples, ("out.npz", "out.npz.partial"), True),
    Subject("validate", lambda stage, out: ["validate", DIGITS, *MAPPING, "--samples", 100, "--json"], _failed),
    Subject("launch", _launch, _other_samples, ("out.npz", "out.npz.partial"), True),
    Subject("compile", lambda stage, out: ["compile", DIGITS, *MAPPING, "-o", out / "image"], _other_image, ("image",)),
    Subject("stress", lambda stage, out: ["stress", "ring", "--cores", 8, "--count", 2000, "--json"], _failed),
)


def digest(folder: Path) -> str:
    """One digest of all files."""
    found = hashlib.sha256()
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        found.update(f"{path.name} ".encode() + path.read_bytes())
    return found.hexdigest()


def prepare(folder: Path) -> Stage:
    """Run everything undisturbed."""
    stage = Stage(folder)
    subprocess.run(
        [sys.executable, "-c", MAIN, "compile", DIGITS, *MAPPING, "-o", folder / "image"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    write_npz(folder / "in.npz", {name: a[:SAMPLES] for name, a in read_npz(INPUTS).items() if name != "labels"})
    for number, subject in enumerate(SUBJECTS):
        place = folder / f"undisturbed{number}"
        place.mkdir()
        began = time.monotonic()
        started = Started(stage, subject, place)
        said = started.end(120)
        stage.seconds[subject.name] = time.monotonic() - began
        assert started.code == 0 and not subject.left(place), (subject.name, said, subject.left(place))
        if subject.name == "launch":
            stage.saved = (place / "out" / "out.npz").read_bytes()
        if subject.name == "compile":
            stage.image = digest(place / "out" / "image")
    return stage

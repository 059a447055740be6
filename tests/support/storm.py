"""A storm of kills: any process of a run, any moment, any of seven signals; then what is left, lost or wrong.

`python -m storm --count N --seed S [--jobs J]` runs `launch --save`, `validate`, `compile` and `stress`, prints a
table, and ends with 1 if anything was not as it must be.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from hearing import hear_signals
from storm_cells import cells
from storm_subjects import SUBJECTS, Stage, Started, prepare
from stranger import descendants

SIGNALS = ("INT", "TERM", "HUP", "KILL", "SEGV", "ABRT", "STOP")
VICTIMS = ("launcher", "zygote", "memory", "core", "helper")
PAUSE = 0.15  # seconds from STOP to CONT
PATIENCE = 60.0  # seconds until a run hangs
GONE = 10.0  # seconds until what is left counts as left
BEYOND = 1.1  # moments are drawn from the time of an undisturbed run, and a little more
RESUMED = 0.8  # share of the killed launches that are continued
BAD_WORDS = ("Traceback", "Exception ignored", "Fatal Python error", "internal error", "emulator itself")
HARD = ("KILL", "SEGV", "ABRT")


@dataclass
class Outcome:
    """What came of one run."""

    subject: str
    victim: str
    name: str  # of the signal
    code: int | None = None
    seconds: float = 0.0  # from the signal to the end
    resumed: bool = False
    problems: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def processes_of(launcher: int) -> dict[str, list[int]]:
    """The processes of a run by what they are."""
    found: dict[str, list[int]] = {"launcher": [launcher]}
    below = sorted(descendants(launcher))
    for process in below:
        with contextlib.suppress(OSError):
            parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
            command = Path(f"/proc/{process}/cmdline").read_bytes()
            if parent != launcher:
                found.setdefault("core" if "memory" in found else "memory", []).append(process)  # forked first
            else:
                found.setdefault("zygote" if b"launch.processes.zygote" in command else "helper", []).append(process)
    return found


def strike(started: Started, rng: random.Random, outcome: Outcome) -> bool:
    """Send the signal to a process of the kind, or to another one if there is none of it; False: all was over."""
    kinds = processes_of(started.pid)
    weights = [3 if kind == "launcher" else 2 for kind in kinds]
    kind = rng.choices(list(kinds), weights)[0]
    victim = rng.choice(kinds[kind])
    outcome.victim = kind
    try:
        if not started.is_over():
            os.kill(victim, getattr(signal, f"SIG{outcome.name}"))
            if outcome.name == "STOP":
                time.sleep(PAUSE)
                os.kill(victim, signal.SIGCONT)
            return True
    except ProcessLookupError:
        pass
    return False


def allowed(outcome: Outcome) -> set[int]:
    """The exit codes that a run may have."""
    number = int(getattr(signal, f"SIG{outcome.name}"))
    if outcome.name == "STOP":
        return {0}
    if outcome.victim == "launcher":  # at the very end of Python the signal itself
        return {0, -number} if outcome.name in HARD else {0, 128 + number, -number}
    # A child is a helper until it is another program: the zygote, too, whose death has its own code.
    return {0, 2, 5} if outcome.victim == "helper" else {0, 5}


def one(stage: Stage, seed: int, number: int) -> Outcome | None:
    """One run; None if it was over before the signal."""
    rng = random.Random(f"{seed} {number}")
    subject = SUBJECTS[number % len(SUBJECTS)]
    outcome = Outcome(subject.name, "", rng.choice(SIGNALS))
    with tempfile.TemporaryDirectory(dir=stage.folder) as name:
        folder = Path(name)
        started = Started(stage, subject, folder)
        time.sleep(rng.uniform(0, stage.seconds[subject.name] * BEYOND))
        if not strike(started, rng, outcome):
            started.end(PATIENCE)
            return None
        _look(stage, started, outcome, folder)
        if outcome.code and subject.resumes and rng.random() < RESUMED:
            _resume(stage, outcome, folder)
    return outcome


def _look(stage: Stage, started: Started, outcome: Outcome, folder: Path) -> None:
    """Wait for the end and judge it."""
    began = time.monotonic()
    stderr = started.end(PATIENCE)
    outcome.seconds, outcome.code = time.monotonic() - began, started.code
    if stderr is None:
        outcome.problems["hangs"].append("it did not end")
        return
    for word in BAD_WORDS:
        if word in stderr:
            outcome.problems["tracebacks"].append(stderr.strip()[-1500:])
            break
    if outcome.code not in allowed(outcome):
        outcome.problems["codes"].append(f"exit code {outcome.code}: {stderr.strip()[-500:]}")
    if outcome.code == 0 and (wrong := started.subject.wrong(stage, folder)):
        outcome.problems["wrong"].append(wrong)
    if left := living(folder):
        outcome.problems["leaks"] += left
    killed = outcome.victim == "launcher" and outcome.name in HARD
    if killed and not started.subject.resumes:  # what it could not remove, the next run of its kind does
        again = Started(stage, started.subject, folder)
        said = again.end(PATIENCE)
        if again.code != 0:
            outcome.problems["codes"].append(f"the next run: exit code {again.code}: {said}")
    if not killed or not started.subject.resumes:
        outcome.problems["leaks"] += started.subject.left(folder)


def _resume(stage: Stage, outcome: Outcome, folder: Path) -> None:
    """Continue the run: all that was finished is there, the file is the same, nothing else is left."""
    outcome.resumed = True
    subject = next(subject for subject in SUBJECTS if subject.name == outcome.subject)
    finished = stage.finished(folder)
    again = Started(stage, subject, folder, "--resume")
    said = again.end(PATIENCE)
    if again.code != 0:
        outcome.problems["lost"].append(f"--resume ended with {again.code}: {said}")
        return
    if (resumed := again.report().get("resumed", 0)) < finished:
        outcome.problems["lost"].append(f"{finished} samples were finished, {resumed} were found")
    if wrong := subject.wrong(stage, folder):
        outcome.problems["lost"].append(wrong)
    outcome.problems["leaks"] += subject.left(folder)


def living(folder: Path) -> list[str]:
    """Processes that have `folder` in their environment, after some patience."""
    deadline = time.monotonic() + GONE
    while (found := list(_with(str(folder).encode()))) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [f"process {process}" for process in found]


def _with(text: bytes) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if text in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
    return found


COLUMNS = ("hangs", "leaks", "lost", "wrong", "codes", "tracebacks")


def print_table(outcomes: list[Outcome]) -> None:
    """Victim x signal: runs, exit codes, slowest end, and what was wrong."""
    rows: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        rows[outcome.victim, outcome.name].append(outcome)
    print("| victim | signal | runs | exit codes | p50 s | max s |", " | ".join(COLUMNS), "|")
    print("|---|---|--:|---|--:|--:|" + "--:|" * len(COLUMNS))
    order = [(victim, name) for victim in VICTIMS for name in SIGNALS if (victim, name) in rows]
    for victim, name in order:
        group = rows[victim, name]
        print(f"| {victim} | {name} | {cells(group, COLUMNS)} |")
    total = {column: sum(bool(outcome.problems.get(column)) for outcome in outcomes) for column in COLUMNS}
    resumed = sum(outcome.resumed for outcome in outcomes)
    print(f"{len(outcomes)} kills, {resumed} resumed; {', '.join(f'{name} {count}' for name, count in total.items())}")


def storm(count: int, seed: int, jobs: int = 1) -> list[Outcome]:
    """`count` kills."""
    with tempfile.TemporaryDirectory(prefix="emu-storm-") as name, ThreadPoolExecutor(jobs) as pool:
        stage = prepare(Path(name))
        done: list[Outcome] = []
        number = 0
        while len(done) < count:
            numbers, before = range(number, number + count - len(done)), len(done)
            number = numbers.stop
            for outcome in pool.map(lambda n: one(stage, seed, n), numbers):
                if outcome is not None:
                    done.append(outcome)
                    for kind, texts in outcome.problems.items():
                        for text in texts:
                            print(f"{kind}: {outcome.subject}, {outcome.victim} {outcome.name}: {text}", flush=True)
            if len(done) == before and len(numbers) >= len(SUBJECTS):
                raise SystemExit(f"none of {len(numbers)} runs was hit: all were over before")
        return done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    hear_signals()
    outcomes = storm(options.count, options.seed, options.jobs)
    print_table(outcomes)
    return int(any(texts for outcome in outcomes for texts in outcome.problems.values()))


if __name__ == "__main__":
    sys.exit(main())

"""A storm of faults over hosts: kinds of a table, hosts and moments that a seed draws; then what is wrong or left.

`python -m host_storm --count N [--seed S] [--first K]` runs trials K to K + N - 1, prints a table, and ends with 1 if
anything was not as it must be.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import leaks
from emu_processes import EmuProcesses
from hearing import hear_signals
from host_faults import KINDS, HostFault
from host_scenes import CORES_OF_A_HOST, Scene, Stage
from storm_cells import cells

EARLY = 0.4  # share of the faults that are made while the run starts
MOST_EARLY, MOST_LATE = 2.0, 1.0  # seconds from when agents are there, and from the first sample on
BAD_WORDS = (
    "Traceback",
    "Exception ignored",
    "Fatal Python error",
    "internal error",
    "emulator itself",
    "RuntimeError",
)
COLUMNS = ("hangs", "causes", "lost", "leaks", "crashes")


@dataclass
class Outcome:
    """What came of one trial: the exit code, seconds from the fault to the end, and what was wrong, by column."""

    number: int
    kind: str
    code: int | None = None
    seconds: float = 0.0
    kept: int = 0  # finished samples
    problems: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def texts(self) -> list[str]:
        """All that was wrong."""
        return [f"{column}: {text}" for column, texts in self.problems.items() for text in texts]


def trial(stage: Stage, kind: HostFault, seed: int, number: int = 0) -> Outcome:
    """A trial of `kind`: what is left open, `seed` and `number` decide."""
    rng, outcome = random.Random(f"{seed} {number}"), Outcome(number, kind.name)
    trapping = rng.randrange(200) if kind.traps else None
    more = {"before": kind.before, "before_agent": kind.before_agent, "words": kind.words}
    with (
        tempfile.TemporaryDirectory(dir=stage.folder) as name,
        Scene(stage, Path(name), rng, image=kind.image, count=kind.count, trapping=trapping, **more) as scene,
    ):
        if kind.strike is not None:
            if kind.early and rng.random() < EARLY:
                time.sleep(rng.uniform(0, MOST_EARLY))
            elif scene.wait_for(scene.finished):
                time.sleep(rng.uniform(0, MOST_LATE))
        before, began = scene.finished(), time.monotonic()
        if kind.strike is not None:
            kind.strike(scene)
        outcome.code = scene.end()
        outcome.seconds = time.monotonic() - began
        _judge(kind, scene, outcome, before, trapping)
    return outcome


def _judge(kind: HostFault, scene: Scene, outcome: Outcome, before: int, trapping: int | None) -> None:
    problems = outcome.problems
    if outcome.code is None:
        problems["hangs"].append("the launcher did not end")
        return
    said = scene.said.strip()
    if not any(outcome.code == code and re.search(_filled(words, scene), said, re.M) for code, words in kind.causes):
        problems["causes"].append(f"host {scene.name}, exit code {outcome.code}: {said[-1500:]}")
    problems["causes"] += scene.wrong
    outcome.kept = kept = scene.finished()
    if outcome.code == 0 or scene.is_written():
        if not scene.is_right():
            problems["lost"].append("the outputs are not there, or wrong")
    elif kept < before:
        problems["lost"].append(f"{before} samples were kept before the fault, {kept} after it")
    elif trapping is not None and kept != trapping:
        problems["lost"].append(f"{kept} samples are kept, and {trapping} should be")
    elif kept and outcome.code > 0 and f"{kept} finished sample" not in said and outcome.code < 128:
        problems["lost"].append(f"{kept} samples are kept, and nobody says so: {said}")
    problems["leaks"] += scene.left()
    for words in [said, *scene.words_of_agents()]:
        if any(bad in words for bad in BAD_WORDS):
            problems["crashes"].append(words[-1500:])


def _filled(sentence: str, scene: Scene) -> str:
    """The regular expression, with the names of what suffers."""
    first = scene.host * CORES_OF_A_HOST
    cores = f"{first}-{first + CORES_OF_A_HOST - 1}"
    names = {"name": scene.name, "core": scene.core, "cores": cores, "signal": scene.number.name}
    for name, value in names.items():
        sentence = sentence.replace(f"{{{name}}}", str(value))
    return sentence


def storm(processes: EmuProcesses, numbers: Iterable[int], seed: int) -> list[Outcome]:
    """These trials; what is wrong is printed at once."""
    done: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="emu-hosts-", dir="/tmp") as name:
        stage = Stage(Path(name), processes)
        for number in numbers:
            outcome = trial(stage, KINDS[number % len(KINDS)], seed, number)
            done.append(outcome)
            for text in outcome.texts:
                print(f"trial {number}, {outcome.kind}: {text}", flush=True)
    return done


def print_table(outcomes: list[Outcome]) -> None:
    """Kinds: trials, exit codes, slowest end, and what was wrong."""
    print("| fault | trials | exit codes | p50 s | max s |", " | ".join(COLUMNS), "|")
    print("|---|--:|---|--:|--:|" + "--:|" * len(COLUMNS))
    for kind in KINDS:
        if group := [outcome for outcome in outcomes if outcome.kind == kind.name]:
            print(f"| {kind.name} | {cells(group, COLUMNS)} |")
    total = {column: sum(bool(outcome.problems.get(column)) for outcome in outcomes) for column in COLUMNS}
    print(f"{len(outcomes)} faults; {', '.join(f'{name} {count}' for name, count in total.items())}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=len(KINDS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    hear_signals()
    leaks.become_subreaper()
    with EmuProcesses() as processes:
        outcomes = storm(processes, range(options.first, options.first + options.count), options.seed)
    print_table(outcomes)
    return int(any(outcome.texts for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())

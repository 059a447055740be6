"""`python -m power`: how many branches the tests run, and which of some faults, chosen by a seed, they notice."""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from itertools import accumulate
from operator import and_
from pathlib import Path

import numpy as np

from power.branches import HOUSES, Place, mark
from power.faults import Fault, faults_of, seeded

ROOT = Path(__file__).resolve().parents[3]
_EMU = "import sys; from reram_emu import main; sys.exit(main())"
_NEAREST, _QUICKEST, _SECONDS = 25, 15, 90.0  # tests of one fault, and what they take without it
_ALL = "not full or full"  # also the variants of a test that few of them leave out, but no more examples than always
_PATIENCE = 120.0  # seconds more, until a fault has stopped them

Chosen = list[tuple[str, Fault]]
Tests = list[tuple[str, bool, float]]


def main() -> None:
    """Write build/power: the state of HEAD, marked, what its tests ran, the faults, and what came of them."""
    take = argparse.ArgumentParser(prog="python -m power", description=main.__doc__)
    take.add_argument("--count", type=int, default=50, help="faults, in proportion to the lines of each package")
    take.add_argument("--seed", type=int, default=0)
    take.add_argument("--again", action="store_true", help="take the marks of the last run")
    take.add_argument("tests", nargs="*", default=["tests"], help="the tests that run")
    asked = take.parse_args()
    store = ROOT / "build" / "power"
    tree = store / "tree"
    if not asked.again:
        shutil.rmtree(store, ignore_errors=True)
        _checked_out(tree)
        mark(tree, store)
    chosen = chosen_faults(tree, asked.count, asked.seed)
    (store / "faults.json").write_text(json.dumps([(file, *vars(fault).values()) for file, fault in chosen], indent=1))
    if not asked.again:
        _pytest(tree, [*asked.tests, "-m", "not full"], None, ["-p", "power.watching"], POWER_STORE=str(store))
    places = [Place(*each) for each in json.loads((store / "places.json").read_text())]
    tests, ran = what_ran(store, len(places))
    print(covered(places, ran.any(axis=0)))
    noticed = 0
    for file, fault in chosen:
        names = nearest(file, fault, tests, ran, places)
        with seeded(tree / file, fault):
            found = bool(names) and _pytest(tree, ["-x", "-m", _ALL, *names], _PATIENCE + 2 * _SECONDS)
        noticed += found
        what = f"{file}:{fault.line}: {fault.kind}, {fault.new.splitlines()[0]}"
        print(f"{'noticed' if found else 'MISSED '}  {what}  ({len(names)} tests)", flush=True)
    print(f"{noticed} of {len(chosen)} faults are noticed")


def chosen_faults(tree: Path, count: int, seed: int) -> Chosen:
    """Faults by chance: of each package as many as it has lines, each of another line."""
    draw, lines, sizes = random.Random(seed), dict[str, list[tuple[str, list[Fault]]]](), dict[str, int]()
    for house in HOUSES:
        lines[house], sizes[house] = [], 0
        for path in sorted((tree / house).rglob("*.py")):
            text, at = path.read_text(), dict[int, list[Fault]]()
            sizes[house] += text.count("\n")
            for fault in faults_of(text):
                at.setdefault(fault.line, []).append(fault)
            lines[house] += [(str(path.relative_to(tree)), faults) for faults in at.values()]
    whole, chosen = sum(sizes.values()), Chosen()
    for house in HOUSES:
        some = draw.sample(lines[house], round(count * sizes[house] / whole))
        chosen += [(file, draw.choice(faults)) for file, faults in some]
    return chosen


def what_ran(store: Path, count: int) -> tuple[Tests, np.ndarray]:
    """The tests (name, whether it passed, seconds), and the places that each has run: bool [tests, places]."""
    tests = [tuple(json.loads(line)) for line in (store / "tests.jsonl").read_text().splitlines()]
    bits = np.fromfile(store / "tests.bits", np.uint8).reshape(len(tests), -1)
    return tests, np.unpackbits(bits, axis=1, count=count).astype(bool)


def covered(places: list[Place], ran: np.ndarray) -> str:
    """A line for each package: how many of its branches, and of its functions, were run."""
    said = []
    for house in HOUSES:
        own = [
            (place.kind == "function", done)
            for place, done in zip(places, ran, strict=True)
            if place.file.startswith(f"{house}/")
        ]
        parts = []
        for is_function, word in ((False, "branches"), (True, "functions")):
            kind = [done for what, done in own if what == is_function]
            parts.append(f"{sum(kind)} of {len(kind)} {word} ({sum(kind) / len(kind):.2%})")
        said.append(f"{house}: {', '.join(parts)}")
    return "\n".join(said)


def nearest(file: str, fault: Fault, tests: Tests, ran: np.ndarray, places: list[Place]) -> list[str]:
    """Tests that have run the line of a fault, those first whose place mirrors its file, and the quickest of others."""
    own = [number for number, place in enumerate(places) if place.file == file]
    blocks = [number for number in own if places[number].kind != "way"]  # a line may have several ways
    inside = [number for number in blocks if places[number].first <= fault.line <= places[number].last]
    if fault.function and inside:
        own = [min(inside, key=lambda number: (places[number].last - places[number].first, -number))]
    fit = [test for test, done in zip(tests, ran[:, own].any(axis=1), strict=True) if done and test[1] and test[0]]
    by_place = sorted(fit, key=lambda test: (-_mirrored(file, test[0]), test[2]))[:_NEAREST]
    by_time = sorted(set(fit) - set(by_place), key=lambda test: test[2])[:_QUICKEST]
    names, spent = [], 0.0
    for name, _, seconds in by_place + by_time:
        spent += seconds
        if spent < _SECONDS or not names:
            names.append(name)
    return names


def _mirrored(file: str, test: str) -> int:
    """How many folders a file and a test have in common, and more if the test has the file's name."""
    folders, others = Path(file).parts[:-1], Path(test.partition("::")[0]).parts[1:-1]
    common = sum(accumulate((one == other for one, other in zip(folders, others, strict=False)), and_))
    return common + 2 * (Path(file).stem in Path(test.partition("::")[0]).stem)


def _checked_out(tree: Path) -> None:
    """The state of HEAD in a folder, with an interpreter whose packages are its own, and those installed here."""
    subprocess.run(["git", "clone", "--quiet", ROOT, tree], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tree / ".venv"], check=True)
    (site,) = (tree / ".venv" / "lib").glob("python*/site-packages")
    (site / "own.pth").write_text(f"{tree}\n{sysconfig.get_path('purelib')}\n")
    command = tree / ".venv" / "bin" / "emu"
    command.write_text(f"#!{tree / '.venv' / 'bin' / 'python'}\n{_EMU}\n")
    command.chmod(0o755)


def _pytest(tree: Path, words: list[str], limit: float | None, more: Sequence[str] = (), **variables: str) -> bool:
    """Whether tests fail, or do not end within so many seconds."""
    file = tree.parent / "words"
    file.write_text("\n".join(words))  # more than a command line holds
    environment = (
        os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"} | variables
    )
    command = [tree / ".venv" / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *more, f"@{file}"]
    with (tree.parent / "pytest.txt").open("w") as out:
        tests = subprocess.Popen(command, cwd=tree, env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            return tests.wait(limit) != 0
        except subprocess.TimeoutExpired:
            os.killpg(tests.pid, signal.SIGKILL)
            tests.wait()
            return True


if __name__ == "__main__":
    main()

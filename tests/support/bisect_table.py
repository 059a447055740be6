"""Seeded faults in compiled networks, and whether `--bisect` names them: `make bisect` writes docs/bisect.md.

`python -m bisect_table --count 25` tries that many faults of each kind and network, only ones that change an output
beyond its tolerance. The figures of all runs are kept in a file, so that the table may be made in pieces: `--network`
and `--fault` run some of it, `--resume` goes on until there are so many.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any

from bisect_faults import MAKERS, Fault, Subject, make

from emu.errors import EmuError
from emu.output.scratch import ScratchFolder
from emu.output.whole_file import write_whole
from emu.wording import counted
from launch.bench.machine import machine, sentence
from launch.bisect.finding import BisectResult, Site
from launch.bisect.network import OnnxNetwork
from launch.bisect.search import Question, bisect
from launch.chips.sequential import power_on_sequential
from launch.golden.values import read_golden
from launch.golden.verdict import compare_all
from launch.images.compilation import compile_image
from launch.text.answer import Table
from launch.text.markdown_page import markdown_table, write_blocks

ROOT = Path(__file__).parents[2]
PAGE, TOOL, BLOCK = ROOT / "docs" / "bisect.md", "bisect", "table"
TRIES = 12  # places that are tried for each fault that is wanted: most changes trap, or change no output


@dataclass(frozen=True)
class Trial:
    """One fault, and what was found: by values alone, and with the recompilation."""

    fault: Fault
    nodes: tuple[str, ...]
    seed: str
    finding: BisectResult
    seconds: float  # of processors, of this process and its children

    @property
    def right(self) -> bool:
        """Whether node and core are those of the fault."""
        return self.finding.core == self.fault.core and self.finding.node in self.nodes

    @property
    def right_by_values(self) -> bool:
        """The same for what the values alone say."""
        return _names(self.finding.by_values, self.fault.core, self.nodes)

    @property
    def right_instruction(self) -> bool:
        """Whether the instruction is that of the fault, too."""
        return self.right and self.finding.site is not None and self.finding.site.index == self.fault.index


def _names(site: Site | None, core: int, nodes: tuple[str, ...]) -> bool:
    return site is not None and site.core == core and site.node in nodes


def model_of(name: str, folder: Path) -> tuple[Path, dict[str, object]]:
    """The ONNX file of a network of the table, and how it is compiled."""
    if name == "digits_cnn":
        return ROOT / "examples" / "digits_cnn.onnx", {"arch": "tiny", "cores": 64}
    from click.testing import CliRunner

    from launch.cli import cli

    path = folder / f"{name}.onnx"
    base, _, kind = name.partition(" ")
    done = CliRunner().invoke(cli, ["export", base, "-o", str(path), *(("--quantize", "qoperator") if kind else ())])
    assert done.exit_code == 0, done.output
    return path, {}


NETWORKS = ("digits_cnn", "lenet5 int8", "resnet18", "vit_tiny")


def changes_output(subject: Subject, bad: Path) -> bool:
    """Whether the first stored sample comes out beyond the tolerance; not if the run ends in an error."""
    inputs = subject.image.default_inputs()
    assert inputs is not None
    try:
        with power_on_sequential(bad) as chip:
            outputs = chip.run({name: array[0] for name, array in inputs.items()})
    except EmuError:
        return False
    golden = read_golden(subject.out / subject.image.manifest.golden, subject.image.manifest.outputs)
    first = [{name: array[:1] for name, array in each.items()} for each in (golden.tensors, *golden.perturbed)]
    return not compare_all({k: v[None] for k, v in outputs.items()}, first[0], "golden", perturbed=first[1:]).passed


def faulty(subject: Subject, kind: str, folder: Path, seed: int = 0) -> Fault:
    """A copy of a subject with a fault of a kind that changes the output."""
    for number in range(seed, seed + 40):
        shutil.rmtree(folder, ignore_errors=True)
        fault = make(subject, kind, folder, f"test {number}")
        assert fault is not None
        if changes_output(subject, folder):
            return fault
    raise AssertionError("no fault changed the output")


Row = dict[str, Any]  # the figures of one kind of fault in one network, and how far its seeds have been tried


def new_row(name: str, kind: str) -> Row:
    """The figures before the first fault."""
    figures = {"run": 0, "right": 0, "by_values": 0, "instruction": 0, "seconds": []}
    return {"network": name, "fault": kind, **figures, "tried": 0, "digests": []}


def add(row: Row, trial: Trial) -> None:
    """Count a trial."""
    row["run"] += 1
    row["right"] += trial.right
    row["by_values"] += trial.right_by_values
    row["instruction"] += trial.right_instruction
    row["seconds"].append(round(trial.seconds, 3))


def trials(subject: Subject, model: Path, row: Row, count: int, folder: Path) -> Iterator[Trial]:
    """Further faults until there are `count` different ones, and what is found of each; `row` follows."""
    network = OnnxNetwork(model, subject.image.manifest)
    inputs = subject.image.default_inputs()
    assert inputs is not None
    while row["run"] < count and row["tried"] < count * TRIES:
        bad, seed = folder / "bad", f"{row['network']} {row['fault']} {row['tried']}"
        row["tried"] += 1
        shutil.rmtree(bad, ignore_errors=True)
        try:
            fault = make(subject, row["fault"], bad, seed)
        except (EmuError, ValueError):  # no program any more
            continue
        if fault is None:
            return
        changed = b"".join((bad / file).read_bytes() for file in subject.files(fault.core) if file)
        digest = blake2b(changed).hexdigest()
        if digest in row["digests"] or not changes_output(subject, bad):
            continue
        before = _processor_seconds()
        finding = bisect(Question(image=bad, model=model, inputs=inputs))
        nodes = tuple(network.owner(node) for node in (fault.node, fault.also) if node)
        trial = Trial(fault, nodes, seed, finding, _processor_seconds() - before)
        row["digests"].append(digest)
        add(row, trial)
        yield trial


def run(name: str, count: int, rows: Sequence[Row]) -> Iterator[tuple[Row, list[Trial]]]:
    """The further trials of a network, by kind."""
    waiting = [row for row in rows if row["run"] < count and row["tried"] < count * TRIES]
    if not waiting:
        return
    with ScratchFolder("bisect-table") as folder:
        model, options = model_of(name, folder)
        compile_image(model, folder / "out", quiet=True, **options)
        subject = Subject(folder / "out")
        for row in waiting:
            yield row, list(trials(subject, model, row, count, folder))


COLUMNS = (
    "network",
    "fault",
    "run",
    "right node and core",
    "the same by values alone",
    "right instruction, too",
    "median s",
    "longest s",
)


def page(rows: Sequence[Row]) -> str:
    """The table, and totals."""
    cells = [_cells(row) for row in rows]
    networks = dict.fromkeys(row["network"] for row in rows)
    totals = [_cells(_total(name, [row for row in rows if row["network"] == name])) for name in networks]
    every = _total("all", list(rows))
    share = every["right"] / max(1, every["run"])
    head = (
        f"{counted(every['run'], 'fault')} in {counted(len(networks), 'network')}: node and core are right in"
        f" {every['right']}"
        f" ({100 * share:.1f} %), by values alone in {every['by_values']}"
        f" ({100 * every['by_values'] / max(1, every['run']):.1f} %); {sentence(machine())}."
    )
    return f"{head}\n\n{markdown_table(Table('', COLUMNS, [*cells, *totals, _cells(every)], 'llrrrrrr'))}"


def _total(name: str, rows: Sequence[Row]) -> Row:
    sums = {key: sum(row[key] for row in rows) for key in ("run", "right", "by_values", "instruction")}
    return {"network": name, "fault": "**all**", **sums, "seconds": [s for row in rows for s in row["seconds"]]}


def _cells(row: Row) -> list[str]:
    if not row["run"]:
        return [row["network"], row["fault"], "0", "", "", "", "", ""]
    times = (statistics.median(row["seconds"]), max(row["seconds"]))
    numbers = [str(row[key]) for key in ("run", "right", "by_values", "instruction")]
    return [row["network"], row["fault"], *numbers, *(f"{value:.1f}" for value in times)]


def main(arguments: Sequence[str]) -> int:
    """Run the trials, keep their figures in a file, and write the table of all figures there."""
    parser = argparse.ArgumentParser(prog="python -m bisect_table", description=__doc__)
    parser.add_argument("--count", type=int, default=25, help="faults of each kind in each network")
    parser.add_argument("--network", action="append", choices=NETWORKS, help="only this one (repeatable)")
    parser.add_argument("--fault", action="append", choices=MAKERS, help="only this one (repeatable)")
    parser.add_argument("--results", type=Path, default=ROOT / "out" / "bisect.json", help="figures of all networks")
    parser.add_argument("--resume", action="store_true", help="go on from the figures that are kept")
    given = parser.parse_args(arguments)
    given.results.parent.mkdir(parents=True, exist_ok=True)
    kept = json.loads(given.results.read_text()) if given.results.exists() else []
    rows = {(row["network"], row["fault"]): row for row in kept}
    for name in given.network or NETWORKS:
        asked = [(name, kind) for kind in given.fault or MAKERS]
        rows |= {key: new_row(*key) for key in asked if not (given.resume and key in rows)}
        for row, done in run(name, given.count, [rows[key] for key in asked]):
            for trial in done:
                if not (trial.right and trial.right_by_values):
                    wrong = "" if trial.right else "WRONG "
                    print(f"{wrong}{trial.seed}: {trial.fault}: by values {trial.finding.by_values}")
            print(*_cells(row), sep="  ", flush=True)
            write_whole(given.results, json.dumps(list(rows.values()), indent=1).encode())
    order = [key for key in product(NETWORKS, MAKERS) if key in rows]
    write_blocks(PAGE, {BLOCK: page([rows[key] for key in order])}, TOOL)
    return 0


def _processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

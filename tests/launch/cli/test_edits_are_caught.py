"""An edited program set: refused while its digest is wrong; after `emu import --seal` refuted by the checker.

With --no-check it is caught by golden values, trap or deadlock.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import DIGITS, Emu

from emu.image.reader import Image, open_image
from emu.isa.table import BY_NAME
from emu.program.codec import decode_program, encode_program
from emu.program.program import Program
from emu.program.section import OPERAND_COLUMNS, Section

RUNS = [("--sequential",), ("--timeout", "60")]
OTHER = ("--flow", "credits:4", "--transport", "tcp", "--timeout", "60")
ALL_RUNS = [*RUNS, pytest.param(OTHER, marks=pytest.mark.full)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digits network for 16x16 crossbars, packed: several crossbars and groups per core."""
    from click.testing import CliRunner

    from launch.cli import cli

    out = tmp_path_factory.mktemp("edits") / "out"
    arguments = ["compile", str(DIGITS), "-o", str(out), "--arch", "tiny", "--cores", "64", "--placement", "pack"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture
def out(compiled: Path, tmp_path: Path) -> Path:
    shutil.copytree(compiled, tmp_path / "out")
    return tmp_path / "out"


def rewrite(out: Path, core: int, edit: Callable[[dict[str, np.ndarray]], None]) -> None:
    """Change the columns of a core's `main`."""
    entry = next(files for files in open_image(out).manifest.cores if files.core == core)
    path = out / entry.program
    program = decode_program(path.read_bytes(), entry.program)
    columns = {name: column.copy() for name, column in program.main.columns.items()}
    edit(columns)
    path.write_bytes(encode_program(replace(program, main=Section(columns))))


def first(program: Program, name: str) -> int | None:
    """The index of the first instruction of a kind."""
    found = np.flatnonzero(program.main.columns["op"] == BY_NAME[name].code)
    return int(found[0]) if len(found) else None


def core_with(image: Image, name: str) -> tuple[int, int]:
    """The first core that has an instruction, and the instruction's index."""
    for core in image.cores:
        index = first(image.program(core), name)
        if index is not None:
            return core, index
    raise AssertionError(f"no core has {name}")


def check(
    emu: Emu, out: Path, how: tuple[str, ...], codes: set[int], *words: str, refuted: tuple[str, ...] | None = None
) -> None:
    """Exit 2 before sealing; after it, with --no-check, one of `codes`, with `words` in the report.

    `refuted` are words with which the checker refuses the launch; None if the fault is in values only.
    """
    result = emu("launch", out, *how)
    assert result.exit_code == 2
    assert len(result.stderr.strip().splitlines()) == 1
    assert "emu import --seal" in result.stderr
    assert emu("import", "--seal", out).exit_code == 0
    expected = [(("--no-check",), codes, words)]
    expected.append(((), codes, words) if refuted is None else ((), {2}, (*refuted, "--no-check")))
    for options, accepted, named in expected:
        result = emu("launch", out, *options, *how)
        assert result.exit_code in accepted, result.output
        for word in named:
            assert word in result.output
        assert "Traceback" not in result.output


@pytest.mark.parametrize("how", ALL_RUNS, ids=" ".join)
def test_a_corrupted_weight_fails_the_golden_comparison(emu: Emu, out: Path, how: tuple[str, ...]) -> None:
    image = open_image(out)
    core = next(core for core in image.cores if image.program(core).groups)
    path = out / next(files.xbar for files in image.manifest.cores if files.core == core)
    content = np.frombuffer(path.read_bytes(), np.float32).copy()
    content[int(np.argmax(np.abs(content)))] += 3.0
    path.write_bytes(content.tobytes())
    check(emu, out, how, {1}, "FAIL")


@pytest.mark.parametrize("how", ALL_RUNS, ids=" ".join)
def test_a_swapped_group_fails_the_golden_comparison(emu: Emu, out: Path, how: tuple[str, ...]) -> None:
    image = open_image(out)
    for core in image.cores:
        program = image.program(core)
        products = np.flatnonzero(program.main.columns["op"] == BY_NAME["mvmul"].code)
        shapes = [(program.groups[g].rows, program.groups[g].cols) for g in program.main.columns["arg0"][products]]
        pairs = [(a, b) for a in range(len(shapes)) for b in range(a) if shapes[a] == shapes[b]]
        if pairs:
            a, b = products[list(pairs[0])]

            def swap(columns: dict[str, np.ndarray], a: int = a, b: int = b) -> None:
                columns["arg0"][[a, b]] = columns["arg0"][[b, a]]

            rewrite(out, core, swap)
            check(emu, out, how, {1}, "FAIL")
            return
    raise AssertionError("no core has two groups of one shape")


@pytest.mark.parametrize("how", ALL_RUNS, ids=" ".join)
def test_an_address_outside_of_memory_traps(emu: Emu, out: Path, how: tuple[str, ...]) -> None:
    core, index = core_with(open_image(out), "vmv")

    def edit(columns: dict[str, np.ndarray]) -> None:
        columns["base"][columns["operand"][index]] = 1 << 20

    rewrite(out, core, edit)
    refuted = (f"core {core} at main[{index}] vmv.f32 ", "node ", "address out of range, operand dst, address", "limit")
    check(emu, out, how, {3}, f"core {core}", "out of range", refuted=refuted)


@pytest.mark.parametrize("how", ALL_RUNS, ids=" ".join)
def test_a_wrong_address_inside_memory_is_caught(emu: Emu, out: Path, how: tuple[str, ...]) -> None:
    core, index = core_with(open_image(out), "mvmul")

    def edit(columns: dict[str, np.ndarray]) -> None:
        columns["base"][columns["operand"][index] + 1] += 4

    rewrite(out, core, edit)
    check(
        emu, out, how, {1, 3}, refuted=(f"local bytes are written before read: core {core} at main[{index}]", "node ")
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("how", [*RUNS, OTHER], ids=" ".join)
def test_a_dropped_message_is_a_named_deadlock(emu: Emu, out: Path, how: tuple[str, ...]) -> None:
    image = open_image(out)
    core, index = core_with(image, "send")
    peer = int(image.program(core).main.columns["arg0"][index])
    rewrite(out, core, lambda columns: drop(columns, index))
    check(emu, out, how, {3, 4}, f"core {peer}", refuted=("sends and receives match", f"core {peer} at main[", "node "))


def drop(columns: dict[str, np.ndarray], index: int) -> None:
    """Remove a `send`: it becomes a `nop`, and its operand goes."""
    operand = int(columns["operand"][index])
    for name in ("op", "n", "arg0"):
        columns[name][index] = 0
    for name in OPERAND_COLUMNS:
        columns[name] = np.delete(columns[name], operand)
    columns["operand"][index + 1 :] -= 1

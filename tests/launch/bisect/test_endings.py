"""Runs that end with an error: compared as far as the cores came, and the place where they stood is named."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bisect_faults import Columns, Fault, Subject, drop, edited, op, replace_file
from commands import DIGITS

from emu.image.seal import seal
from emu.program.codec import encode_program
from emu.program.program import Data
from launch.bisect.finding import BisectResult
from launch.bisect.search import Question, bisect
from launch.processes.options import RunOptions


def changed(
    subject: Subject, out: Path, name: str, edit: Callable[[Columns, int], None], which: int = 0
) -> tuple[Fault, BisectResult, BisectResult]:
    """One of the instructions called `name` is changed: what is found by values, and with the recompilation."""
    subject.copy(out)
    core, index = subject.instructions(lambda p, k: op(p, k) == name)[which]
    fault = edited(subject, out, "", core, index, lambda columns: edit(columns, index))
    replace_file(out / "manifest.json", (out / "manifest.json").read_bytes())
    seal(out)
    inputs = subject.image.default_inputs()
    assert inputs is not None
    options = RunOptions(sequential=True, timeout=60)
    asked = [Question(image=out, model=DIGITS, inputs=inputs, options=options, recompile=r) for r in (False, True)]
    values, compared = (bisect(each) for each in asked)
    return fault, values, compared


@pytest.mark.few(1)
@pytest.mark.parametrize("which", [0, 9, -1])
def test_a_message_of_another_size_names_both_of_its_cores(digits: Subject, tmp_path: Path, which: int) -> None:
    def shorten(columns: Columns, index: int) -> None:
        columns["n"][index] -= 4

    fault, values, compared = changed(digits, tmp_path / "bad", "recv", shorten, which)
    assert values.site is not None and values.by == "trap" and "meets a receive" in values.error
    assert (fault.core, fault.index) in {(site.core, site.index) for site in (values.site, *values.suspects)}
    assert values.tensors == len(values.right) > 0
    assert (compared.core, compared.by) == (fault.core, "recompilation")
    assert compared.site is not None and compared.site.index == fault.index


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "which", "by"), [("send", 9, "deadlock"), ("send", -1, "deadlock"), ("recv", -1, "trap")]
)
def test_a_missing_message_names_where_the_cores_stand(
    digits: Subject, tmp_path: Path, name: str, which: int, by: str
) -> None:
    fault, values, compared = changed(digits, tmp_path / "bad", name, lambda c, k: drop(c, k, 1), which)
    assert values.by == by and by in values.error
    assert values.site is not None and values.site.instruction and values.site.node
    assert values.tensors == len(values.right) > 0
    assert (compared.core, compared.by) == (fault.core, "recompilation")
    assert compared.site is not None and compared.site.index == fault.index


def test_an_output_that_is_not_stored_is_told_by_the_recompilation(digits: Subject, tmp_path: Path) -> None:
    """All tensors are right; nothing of the output was stored, so no value of it can be compared."""
    fault, values, compared = changed(digits, tmp_path / "bad", "st", lambda c, k: drop(c, k, 2))
    assert values.note and values.error and values.site is None
    assert (compared.core, compared.note, compared.by) == (fault.core, "", "recompilation")
    assert compared.site is not None and compared.site.index == fault.index
    assert "bisect: first wrong node" in compared.lines()[0]


def test_a_change_that_no_value_shows_is_listed(digits: Subject, tmp_path: Path) -> None:
    """The outputs stay within their tolerance: nothing is wrong, but the programs are other ones."""
    out = tmp_path / "bad"
    digits.copy(out)
    program = digits.programs[0]
    values = np.frombuffer(program.data[0].content, np.float32).copy()
    values[3] += 1e-6
    data = (Data(program.data[0].address, values.tobytes()), *program.data[1:])
    replace_file(out / digits.files(0)[0], encode_program(replace(program, data=data)))
    replace_file(out / "manifest.json", (out / "manifest.json").read_bytes())
    seal(out)
    inputs = digits.image.default_inputs()
    assert inputs is not None
    finding = bisect(Question(image=out, model=DIGITS, inputs=inputs))
    assert finding.note and finding.site is None and finding.changes is not None
    assert [change.site.core for change in finding.changes] == [0]
    assert finding.lines()[0] == f"bisect: {finding.note}" and "1 place differs" in finding.lines()[1]

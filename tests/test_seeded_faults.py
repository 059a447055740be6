"""The tool that measures the tests: faults are one change each, and marks tell what ran in any process."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from power.branches import mark
from power.faults import faults_of, seeded

ROOT = Path(__file__).resolve().parents[1]


def changed(text):
    """What each fault makes of a text."""
    data = text.encode()
    return [(data[: each.begin] + each.new.encode() + data[each.end :]).decode() for each in faults_of(text)]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("x = a < b", ["x = (a <= b)"]),
        ("x = a in b", ["x = (a not in b)"]),
        ("x = a + b", ["x = (a - b)"]),
        ("x = a or b", ["x = (a and b)", "x = (a)", "x = (b)"]),
        ("x = not a", ["x = (a)"]),
        ("x = 3", ["x = (2)", "x = (4)"]),
        ("x = True", ["x = (False)"]),
        ("x = 0.5", ["x = (1.0)"]),
        ("x = {1, a, b}", ["x = ({1, a})", "x = ({1, b})", "x = ({a, b})", "x = {(0), a, b}", "x = {(2), a, b}"]),
        ("x = {a: b, c: d, e: f}", ["x = ({a: b, c: d})", "x = ({a: b, e: f})", "x = ({c: d, e: f})"]),
        ("if a:\n    f()", ["if (not a):\n    f()", "if a:\n    pass"]),
        ("def f(a):\n    return a == 1", ["def f(a):\n    return (a != 1)"]),
        ("a.b = c", ["pass"]),
        ("raise Fault(f'{a + 1} is wrong')", ["pass"]),
        # What people read, and what checkers of types do:
        ("def f(a: 'b | c' = d) -> 3:\n    '''Words, 1.'''", []),
        ("print(1 + 2)\nassert a == b\nx = f'{a + b}'", []),
        ("if TYPE_CHECKING:\n    f()", []),
        ("f(help='1', text=2)", ["pass"]),
        ("def __repr__(self):\n    return a + b", []),
    ],
)
def test_faults(text, made):
    assert set(made) <= set(changed(text)) and (made or not changed(text))


def test_each_fault_of_a_file_is_a_program_that_differs():
    for path in sorted((ROOT / "emu" / "isa").glob("*.py")):
        text = path.read_text()
        plain = ast.dump(ast.parse(text))
        for made in changed(text)[::7]:
            assert ast.dump(ast.parse(made)) != plain


PROGRAM = """
from __future__ import annotations
import os, signal

def first(value):
    "A docstring."
    for each in range(value):
        if each > 1:
            return "large" if value > 5 else "small"
    return match(value)

def match(value):
    match value:
        case 0:
            return 1
    try:
        os.fspath(value)
    except TypeError:
        return 2

def never(): ...

class Kind:
    def unused(self):
        return 3

first(3)
if not os.fork():
    first(1)
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
"""
NEVER = ['way: return "large" if value > 5 else "small"', "case: return 1", "function: return 3"]
KINDS = {"function", "for", "end", "if", "else", "way", "case", "except"}


def test_marks_tell_what_ran_in_any_process(tmp_path):
    tree, store = tmp_path / "tree", tmp_path / "store"
    (tree / "emu").mkdir(parents=True)
    store.mkdir()
    file = tree / "emu" / "program.py"
    file.write_text(PROGRAM)
    places = mark(tree, store)
    start = f"import sys; sys.path.insert(0, {str(tree)!r}); import emu.program"
    subprocess.run([sys.executable, "-B", "-P", "-c", start], check=True, cwd=tmp_path)
    marks = np.fromfile(store / "marks", np.uint8)[: len(places)]
    lines = PROGRAM.splitlines()
    told = [f"{place.kind}: {lines[place.first - 1].strip()}" for place in places]
    assert [name for name, mark in zip(told, marks, strict=True) if not mark] == NEVER
    assert {name.partition(":")[0] for name in told} == KINDS
    fault = next(each for each in faults_of(PROGRAM) if "os.fork" in each.new)
    with seeded(file, fault):
        done = subprocess.run([sys.executable, "-B", "-P", "-c", start], cwd=tmp_path)
        assert done.returncode and file.read_text() != PROGRAM  # what runs is the fault
    assert file.read_text() == PROGRAM

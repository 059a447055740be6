"""Files of commands: every line of one that is typed is typed, wherever it stands."""

from pathlib import Path

import pytest
from command_files import REFUSAL, parsed
from filecheck_item import Failed

TEXT = """About.

--- a.asm
.core 0
PREPARE: emu import a.asm -o a
=== one
--- page.md
words
--- other.md

emu bench -> use --all
emu bench --row x -> is unknown
RUN: emu bench --list
CHECK: row
--- late.md
EXIT: 3
"""


def test_what_is_typed_ends_a_file():
    head, case = parsed(TEXT)
    assert (head.files, [step.words for step in head.steps]) == ({"a.asm": ".core 0\n"}, ["emu import a.asm -o a"])
    assert case.files == {"page.md": "words\n", "other.md": "\n", "late.md": ""}
    assert [(step.words, step.refusal) for step in case.steps] == [
        ("emu bench", "use --all"),
        ("emu bench --row x", "is unknown"),
        ("emu bench --list", None),
    ]
    assert case.steps[-1].checks == [(14, "CHECK", "row"), (16, "EXIT", "3")]


@pytest.mark.parametrize("line", ["CHECK: x", "emu bench use --all"])
def test_what_is_of_no_command_is_refused(line):
    with pytest.raises(Failed, match="line 2: "):
        parsed(f"=== one\n{line}\n")


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.test")), ids=lambda path: path.name)
def test_every_refusal_of_a_file_is_tried(path):
    text = path.read_text("utf-8")
    steps = [step for part in parsed(text) for step in part.steps]
    assert sum(step.refusal is not None for step in steps) == sum(map(bool, map(REFUSAL.fullmatch, text.splitlines())))
    assert sum(step.refusal is None for step in steps) == text.count("\nRUN: ") + text.count("\nPREPARE: ")

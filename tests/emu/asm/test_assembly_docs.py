"""docs/assembly.md: every example assembles, every instruction has its row."""

import re
from pathlib import Path

import pytest

from emu.asm.assembler import assemble
from emu.asm.disassembler import disassemble
from emu.asm.fields import print_field
from emu.image.reader import open_image
from emu.isa.instruction import Instruction
from emu.isa.table import BY_NAME

TEXT = (Path(__file__).parents[3] / "docs" / "assembly.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```asm\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_assemble(tmp_path, number):
    (tmp_path / "chip.asm").write_text(EXAMPLES[number])
    assemble(tmp_path / "chip.asm", tmp_path / "out")
    image = open_image(tmp_path / "out")
    assert image.cores
    assert all(image.program(core).main for core in image.cores)
    again = tmp_path / "again"
    assemble(Path(disassemble(tmp_path / "out", again)), tmp_path / "out2")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert all((tmp_path / "out" / n).read_bytes() == (tmp_path / "out2" / n).read_bytes() for n in names)


def test_there_are_examples():
    assert len(EXAMPLES) >= 4


def form(spec: Instruction) -> str:
    """How an instruction is written, as in the tables of the documentation."""
    fields = {name: f"{name} N" if print_field(name, 1) == f"{name} 1" else name for name in spec.fields}
    parts = [fields[name] for name in spec.leading]
    parts += [f"{operand.space}[{operand.role}]" for operand in spec.operands]
    parts += [fields[name] for name in spec.fields if name not in spec.leading]
    types = ".T" if spec.types == 1 else "".join(f".T{index}" for index in range(spec.types))
    flags = "".join(f" [{flag}]" for flag in spec.flags)
    return f"{spec.name}{types} {', '.join(parts)}{flags}".strip()


@pytest.mark.parametrize("spec", [spec for spec in BY_NAME.values() if spec.name != "loop"], ids=lambda spec: spec.name)
def test_every_instruction_has_its_row(spec):
    assert f"| `{form(spec)}` |" in TEXT

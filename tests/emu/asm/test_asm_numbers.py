"""Comments of a disassembly number the instructions as errors do."""

import math
import re

from asm_texts import parse_program
from hypothesis import given
from strategies_programs import programs

from emu.asm.set_printer import print_program
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Program

TEXT = """core 0 {
  init { lldi l[0x40], 0, 8 }
  main {
    @ "conv"
    loop y 2 {
      loop x 3 {
        vmv.f32 l[0x00], l[0x40], 2
      }
      @ none
      ld l[0x00], g[0x00], 4
    }
    halt
  }
}
"""


def numbered(text: str) -> list[tuple[str, str]]:
    """(number, first word) of every line with a number."""
    found = [re.fullmatch(r"\s*(\S+).* ; ((?:init|main)\[[0-9]+\])", line) for line in text.splitlines()]
    return [(match[2], match[1]) for match in found if match]


def test_heads_of_loops_count_and_ends_do_not() -> None:
    assert numbered(print_program(parse_program(TEXT, "a.asm"))) == [
        ("init[0]", "lldi"),
        ("main[0]", "loop"),
        ("main[1]", "loop"),
        ("main[2]", "vmv.f32"),
        ("main[3]", "ld"),
        ("main[4]", "halt"),
    ]


@given(programs())
def test_every_instruction_has_its_number(program) -> None:
    text = print_program(program)
    sections = {"init": program.init, "main": program.main}
    wanted = [(f"{name}[{i}]", section.decode(i)) for name, section in sections.items() for i in range(len(section))]
    found = numbered(text)
    assert [number for number, _ in found] == [number for number, _ in wanted]
    assert all(word.partition(".")[0] == instr.spec.name for (_, word), (_, instr) in zip(found, wanted, strict=True))
    assert print_program(parse_program(text, "a.asm")) == text


def test_a_nan_with_a_sign_survives_text() -> None:
    build = SectionBuilder()
    build.emit("vsadd", (DType.f32,), (Address(0), Address(0)), n=1, imm=-math.nan)
    program = Program(0, main=build.finish())
    again = parse_program(print_program(program), "a.asm")
    assert again.main.columns["imm"].tobytes() == program.main.columns["imm"].tobytes()

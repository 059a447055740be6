"""A new instruction is a row and a kernel: assembler, checker and both engines know it from them alone."""

import subprocess
import sys

import pytest

from emu.isa.dtypes import NUMBERS
from emu.isa.instruction import Family, Instruction, Price
from emu.isa.table import BY_CODE

# The rows and the kernel come before the modules that read the tables, as if they stood in the product's own files.
SCRIPT = '''
import sys
from pathlib import Path
import numpy as np

from emu.core.crossbars.fault import Fault
from emu.core.kernels import arithmetic
from emu.core.kernels.spec import KernelSpec
from emu.isa.dtypes import NUMBERS
from emu.isa.instruction import Family, Instruction, Operand, Price, Traps
from emu.isa.table import add_row

def distance(spec: KernelSpec):
    def kernel(dst, /, *sources):
        if (sources[0] == 99).any():
            raise Fault("no distance from 99")
        np.subtract(np.maximum(*sources), np.minimum(*sources), out=dst)
    return kernel

operands = Operand("dst", False, True), Operand("src1", True, False), Operand("src2", True, False)
row = {"kernel": "distance", "price": Price.OP, "traps": Traps.INDEX, "summary": "distance"}
add_row(Instruction(200, "vabsdiff", Family.BINARY, (NUMBERS,), operands, ("n",), **row))
add_row(Instruction(201, "sshl", Family.SCALAR, fields=("rd", "rs1", "imm"), scalar=lambda a, b: a << b))
arithmetic.MAKERS["distance"] = distance

from emu.asm.assembler import assemble
from emu.asm.disassembler import disassemble
from emu.check.check import check
from emu.core.engines.core import Core
from emu.core.progress import Progress
from emu.core.trap import CoreTrap
from emu.errors import EmuError
from emu.image.reader import open_image

TEXT = """
arch "chip.toml"
core 0 {
  main {
    lldi l[0], 5, 64
    lldi l[64], %d, 64
    loop i 4 {
      vabsdiff.u8 l[128 + 4*i], l[64 + 4*i], l[0 + 4*i], 4
    }
    sldi r0, 3
    sshl r1, r0, 4
    vabsdiff.u8 l[256 + r1], l[64], l[128], 4
    halt
  }
}
"""
CHIP = '[chip]\\ncores = 1\\n[core]\\nfunctions = ["%s"]\\n'
folder = Path(sys.argv[1])

def image(name, byte, function):
    source = folder / name
    source.mkdir()
    (source / "chip.asm").write_text(TEXT % byte)
    (source / "chip.toml").write_text(CHIP % function)
    assemble(source, folder / f"{name}.out")
    return open_image(folder / f"{name}.out")

def run(opened, engine):
    core = Core(opened.program(0), opened.arch, [], engine)
    core.begin("main", 0)
    try:
        while core.advance() is not Progress.HALTED:
            pass
    except CoreTrap as trap:
        return str(trap), core.statistics.units
    return core.memory.data[:512].tobytes(), core.registers, core.statistics.units

good = image("good", 7, "vabsdiff")
text = disassemble(good.path)
assert "vabsdiff.u8 l[" in text and "sshl r1, r0, 4" in text, text
report = check(good)
assert all(verdict.outcome.value == "proved" for verdict in report.verdicts), report.verdicts
step, batch = run(good, "step"), run(good, "batch")
assert step[:2] == batch[:2] and batch[2] == 1, (step, batch)
assert step[0][128:144] == bytes([2] * 16) and step[0][304:308] == bytes([5] * 4) and step[1][1] == 48

bad = image("bad", 99, "vabsdiff")
assert run(bad, "step")[0] == run(bad, "batch")[0]
trap = run(bad, "step")[0]
assert "main[3] vabsdiff.u8" in trap and "loops [0]" in trap and "no distance" in trap, trap
try:
    image("lacking", 7, "vvadd")
except EmuError as error:
    assert "lacks this function" in str(error), error
else:
    raise AssertionError("a chip without the function takes the program")
print("all of it")
'''


def test_a_row_and_a_kernel_are_an_instruction(tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (result.stdout, result.stderr) == ("all of it\n", "")


def test_every_instruction_is_executed_by_one_thing():
    for row in BY_CODE.values():
        assert sum((row.control is not None, row.scalar is not None, row.ask is not None, bool(row.kernel))) == 1
        assert row.summary or row.family.value.startswith(("vector", "reduction"))


def test_a_row_says_what_its_fields_and_flags_say():
    for row in BY_CODE.values():
        assert (row.crossbar is not None) == ("group" in row.fields)
        assert set(row.leading) <= set(row.fields)
        assert all(operand.type is None or operand.type < row.types for operand in row.operands)


def test_codes_and_names_are_unique():
    from emu.isa.table import add_row

    row = next(iter(BY_CODE.values()))
    with pytest.raises(AssertionError):
        add_row(Instruction(row.code, "another", row.family))


def test_a_function_without_a_price_is_no_row():
    fields = {"accepts": (NUMBERS,), "operands": (), "fields": ("n",)}
    with pytest.raises(ValueError, match="has a price"):
        Instruction(200, "vabsdiff", Family.BINARY, **fields, kernel="distance")
    with pytest.raises(ValueError, match="has a price"):
        Instruction(200, "sabs", Family.SCALAR, fields=("rd",), scalar=abs, price=Price.OP)

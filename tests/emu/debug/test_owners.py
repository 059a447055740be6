"""Which tensor bytes belong to: buffers that use the same bytes one after the other, on hand-made programs."""

import pytest

from emu.asm.set_parser import parse_program_set
from emu.debug.owners import Owners

TEXT = """arch tiny
core 0 {
  buffer "a" i32[1, 4] extent 4 1 1 layout 1 C at 0x00 complete 3
  buffer "b" i32[1, 4] extent 4 1 1 layout 1 C at 0x10 complete 4
  buffer "c" i32[1, 2] extent 2 1 1 layout 1 C at 0x00 complete 7
  main {
    @ "one"
    lldi l[0x00], 1, 16
    loop i 4 {
      vsadd.i32 l[0x00 + 4*i], l[0x00 + 4*i], 1, 1
    }
    @ "two"
    lmv l[0x10], l[0x00], 16
    @ "three"
    vvadd.i32 l[0x20], l[0x00], l[0x10], 4
    lmv l[0x00], l[0x20], 8
    vsadd.i32 l[0x00], l[0x00], 1, 2
    vsadd.i32 l[0x20 + r0], l[0x10], 1, 4
    halt
  }
}
"""


@pytest.fixture(scope="module")
def owners():
    (core,) = parse_program_set(TEXT, "text", lambda name: b"").cores
    return Owners(core.program)


def name(buffer):
    return buffer and buffer.tensor


@pytest.mark.parametrize(
    ("index", "address", "written", "read"),
    [
        (0, 0x00, "a", "a"),  # what is being made can be read, too
        (2, 0x0C, "a", "a"),
        (2, 0x10, None, None),  # by node one, which has no part in b
        (3, 0x00, None, "a"),
        (3, 0x10, "b", "b"),
        (4, 0x0C, None, "a"),
        (4, 0x10, None, "b"),
        (4, 0x20, None, None),
        (5, 0x00, "c", "a"),  # the bytes of a go over to c here
        (6, 0x04, "c", "c"),
        (6, 0x08, None, None),
        (7, 0x10, None, "b"),  # whatever the register is, nobody knows
        (7, 0x00, None, "c"),
    ],
)
def test_bytes_belong_to_tensors(owners, index, address, written, read):
    assert (name(owners.written_by(index, address)), name(owners.read_by(index, address))) == (written, read)


def test_buffers_are_intact_until_others_write_there(owners):
    a, b, c = owners.program.buffers
    assert [owners.intact_until(buffer) for buffer in (a, b, c)] == [5, 9, 9]

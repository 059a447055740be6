"""What PIM-ISA cannot say is refused by a sentence that says why."""

import numpy as np
import pytest
from exported_runs import LOCAL, one_core_image
from images import byte_tensor, write_image
from stepper import program

from emu.arch import Arch, Core, Crossbar, GlobalMemory
from emu.arch.system import System
from emu.errors import ProgramError
from emu.image.reader import open_image
from emu.interop.pim_isa.exporting.export import export_image
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.isa.table import BY_NAME
from emu.program.group import GroupSpec

F32, F16, I8, I32, I64 = DType.f32, DType.f16, DType.i8, DType.i32, DType.i64
PLACES = [Address(place * 1000) for place in range(4)]


def refusal(tmp_path, emit, local=1 << 16, far=1 << 20, groups=(), weights=()):
    """The sentence with which the export of a program is refused."""
    core = Core(crossbars=8, local_memory=local)
    arch = Arch(name="test", cores=1, core=core, crossbar=Crossbar(6, 4), global_memory=GlobalMemory(far))
    image = one_core_image(tmp_path / "image", arch, emit, np.zeros(LOCAL, np.uint8), groups, weights)
    with pytest.raises(ProgramError) as error:
        export_image(open_image(image), tmp_path / "export")
    assert [path.name for path in tmp_path.iterdir()] == ["image"]
    return str(error.value)


CASES = [
    ("vvadd", (I8,), {"n": 4}, ("sat",), "(vvadd.i8.sat): integers of PIM-ISA wrap: it has no .sat and no .trap"),
    ("vsadd", (F16,), {"n": 4, "imm": 0.1}, (), "0.1 is no f16, and PIM-ISA has no immediates of more bits"),
    (
        "vsmin",
        (F32,),
        {"n": 4, "imm": 0.5},
        (),
        "no minimum but with whole numbers of 32 bits, this is 0.5",
    ),
    ("vrsu", (F32, I8), {"n": 4, "imm": 3e9}, (), "bounds of PIM-ISA are whole numbers of 32 bits, this is 3e+09"),
    ("vsdiv", (F32,), {"n": 4, "imm": 0.1}, (), "PIM-ISA has no division: whole numbers from 1 to 4096 can be made"),
    ("vsdiv", (I32,), {"n": 4, "imm": -2}, (), "PIM-ISA has no division"),
    ("vlrelu", (F32,), {"n": 4, "imm": 1.5}, (), "a leaky relu of f32 with slope 1.5 is no maximum of x and slope * x"),
    ("vcvt", (F32, DType.bool), {"n": 4}, (), "no conversion from f32 to bool: its elements are numbers"),
    ("vcvt", (F32, I64), {"n": 4}, (), "no conversion from f32 to i64: its resize clamps at a bound of 32 bits"),
    ("vprod", (F16,), {"n": 4}, (), "PIM-ISA has no such reduction"),
    ("vvdiv", (F32,), {"n": 4}, (), "PIM-ISA has no such instruction, nor others that it could be made of"),
    ("vvmax", (F32,), {"n": 1 << 30}, (), "1073741824 elements or bytes are more than 2^31 bytes at once"),
]


@pytest.mark.parametrize(("name", "types", "fields", "flags", "why"), CASES)
def test_instructions(tmp_path, name, types, fields, flags, why):
    operands = PLACES[: len(BY_NAME[name].operands)]
    found = refusal(tmp_path, lambda section: section.emit(name, types, operands, flags, **fields), 1 << 33)
    assert f"core 0, main[1] ({name}." in found
    assert why in found


def test_addresses_in_registers(tmp_path):
    def emit(section):
        section.emit("vrelu", (F32,), (Address(0, reg=3), Address(0)), n=4)

    assert "its address is in a register: programs that compute addresses are not exported" in refusal(tmp_path, emit)


def test_scalar_instructions(tmp_path):
    found = refusal(tmp_path, lambda section: section.emit("sldi", rd=1, imm=4))
    assert "main[1] (sldi): registers are given by the export" in found


def test_waits_for_an_equal_value(tmp_path):
    found = refusal(tmp_path, lambda section: section.emit("wait", flags=("equal",), event=1, value=0))
    assert "it cannot say that the value must be equal" in found


def test_no_room_beside_the_program(tmp_path):
    def emit(section):
        section.emit("vsadd", (F32,), (Address(0), Address(0)), n=900, imm=0.5)

    found = refusal(tmp_path, emit, local=LOCAL)
    assert "it needs 4096 bytes beside those of the program, 4096 are there in all" in found


def test_no_room_for_constants(tmp_path):
    def emit(section):
        section.emit("vsadd", (F32,), (Address(0), Address(0)), n=9, imm=0.5)

    found = refusal(tmp_path, emit, far=2 * LOCAL)
    assert f"constants take global memory up to byte {2 * LOCAL + 64}, it has {2 * LOCAL}" in found


def test_programs_beyond_the_first_chip(tmp_path):
    programs = {3: program(3, ("ld", 0, 0, 8), ("st", 8, 0, 8))}
    tensors = [(byte_tensor(name, 8, address),) for name, address in (("x", 0), ("y", 8))]
    write_image(tmp_path / "image", programs, *tensors, arch=Arch(name="test", cores=2, system=System(2)))
    with pytest.raises(ProgramError, match="core 3 stands on chip 1, counted from 0, but a configuration of pimsim-nn"):
        export_image(open_image(tmp_path / "image"), tmp_path / "export")
    assert [path.name for path in tmp_path.iterdir()] == ["image"]


def test_sums_of_f16(tmp_path):
    group = GroupSpec(F16, F16, F16, (6, 2), (3,))

    def emit(section):
        section.emit("mvmul", (F16, F16), (Address(0), Address(1000)), group=0)

    found = refusal(tmp_path, emit, groups=(group,), weights=(np.zeros((8, 3), np.float16),))
    assert "sums of f16 are kept in f32, for which PIM-ISA has no place" in found


def test_weights_that_no_row_holds(tmp_path):
    group = GroupSpec(I64, I64, I64, (6,), (3,))
    core = Core(crossbars=300, local_memory=1 << 16)
    arch = Arch(name="test", cores=1, core=core, crossbar=Crossbar(6, 4, 8))

    def emit(section):
        section.emit("mvmul", (I64, I64), (Address(0), Address(1000)), group=0)

    content = np.zeros(LOCAL, np.uint8)
    image = one_core_image(tmp_path / "image", arch, emit, content, (group,), (np.zeros((6, 3), np.int64),))
    with pytest.raises(ProgramError, match="core 0, group 0: no weight of type i64 fits into a crossbar"):
        export_image(open_image(image), tmp_path / "export")

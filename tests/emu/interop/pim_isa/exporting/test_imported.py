"""An imported program is exported as it was read, and what is made of it again computes the same."""

import json
from dataclasses import fields

import numpy as np
import pytest
from exported_runs import LOCAL, imported, one_core_image, run_image
from pimsim_files import CONFIG, PROGRAM

from emu.arch import Arch, Core, Crossbar
from emu.errors import InputError
from emu.image.reader import open_image
from emu.interop.pim_isa.exporting.export import export_image
from emu.interop.pim_isa.exporting.forms import FORMS, PROGRAM_FILES
from emu.interop.pim_isa.format.config_keys import read_chip
from emu.interop.pim_isa.format.program import CoreColumns
from emu.interop.pim_isa.format.reader import read_program
from emu.interop.pim_isa.importing.import_program import ImportRequest, import_program
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.group import GroupSpec


def same(first, second):
    assert first.groups == second.groups
    assert first.cores.keys() == second.cores.keys()
    for core, columns in first.cores.items():
        for field in fields(CoreColumns):
            assert np.array_equal(getattr(columns, field.name), getattr(second.cores[core], field.name)), field.name


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("chip", [None, CONFIG])
def test_instruction_for_instruction(tmp_path, form, chip):
    import_program(ImportRequest(path=PROGRAM, arch=chip, seed=3), tmp_path / "image")
    image = open_image(tmp_path / "image")
    exported = export_image(image, tmp_path / "export", form, "json")
    program = tmp_path / "export" / PROGRAM_FILES[form]
    same(read_program(PROGRAM), read_program(program))
    assert exported.written.instructions == read_program(PROGRAM).instructions
    found = read_chip(tmp_path / "export" / "chip.json")
    if chip:
        assert found.config.chip_config.core_config == read_chip(chip).config.chip_config.core_config
    again = imported(program, tmp_path / "again")
    for name, value in run_image(tmp_path / "image").items():
        assert np.array_equal(run_image(again)[name], value)


def test_two_types_of_one_width_stay(tmp_path):
    arch = Arch(name="test", cores=1, core=Core(crossbars=8, local_memory=1 << 16), crossbar=Crossbar(6, 4))
    groups = [
        GroupSpec(DType.i8, DType.i8, DType.i32, (6,), (3,)),
        GroupSpec(DType.u8, DType.i8, DType.i16, (2,), (4,)),
    ]
    weights = [np.full((6, 3), -7, np.int8), np.full((2, 4), 9, np.int8)]

    def emit(section):
        section.emit("mvmul", (DType.u8, DType.i16), (Address(2000), Address(0)), group=1)
        section.emit("vcvt", (DType.i32, DType.f32), (Address(1000), Address(0)), n=9)
        section.emit("vvadd", (DType.i32,), (Address(1100), Address(0), Address(100)), n=9)
        section.emit("vvadd", (DType.f32,), (Address(1200), Address(1000), Address(1000)), n=9)

    content = np.random.default_rng(1).integers(0, 256, LOCAL).astype(np.uint8)
    image = one_core_image(tmp_path / "image", arch, emit, content, groups, weights)
    export_image(open_image(image), tmp_path / "first")
    first = imported(tmp_path / "first" / "program.json", tmp_path / "again")
    export_image(open_image(first), tmp_path / "second", weights="json")
    second = imported(tmp_path / "second" / "program.json", tmp_path / "once_more")
    same(read_program(tmp_path / "first" / "program.json"), read_program(tmp_path / "second" / "program.json"))
    wanted = run_image(image)["y"].tobytes()
    assert run_image(first)["y"].tobytes() == wanted == run_image(second)["y"].tobytes()
    left_out, used = json.loads((tmp_path / "second" / "core_0_weights.json").read_text())
    assert left_out == []
    assert np.array_equal(np.array(used)[:2, :4], weights[1])


@pytest.mark.parametrize("text", ["", "{}", '{"geometry": 3, "types": {}, "groups": {}}'])
def test_what_was_kept_may_be_damaged(tmp_path, text):
    import_program(ImportRequest(path=PROGRAM), tmp_path / "image")
    (tmp_path / "image" / "pimsim_meaning.json").write_text(text)
    with pytest.raises(InputError, match=r"pimsim_meaning\.json"):
        export_image(open_image(tmp_path / "image", verify=False), tmp_path / "export")
    assert not (tmp_path / "export").exists()

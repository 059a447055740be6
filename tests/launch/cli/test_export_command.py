"""`emu export`: what it writes in each form, what `emu time` makes of it, and what it does not overwrite."""

import json
from pathlib import Path

import numpy as np
import pytest
from commands import Emu
from exported_files import run_program, tensor

from emu.image.reader import open_image
from emu.interop.pim_isa.exporting.forms import FORMS
from emu.interop.pim_isa.format.config_keys import read_chip
from emu.interop.pim_isa.format.reader import read_program

PROGRAMS = {"pimsim": "program.json", "json-gz": "program.json.gz", "json-dir": "", "pim": ""}


@pytest.fixture(scope="module")
def exported(tmp_path_factory, digits_image):
    """The example network in every form."""
    from click.testing import CliRunner

    from launch.cli import cli

    folder = tmp_path_factory.mktemp("exported")
    for form in FORMS:
        arguments = ["export", str(digits_image), "--to", form, "-o", str(folder / form), "--json"]
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        (folder / f"{form}.json").write_text(result.stdout)
    return folder


def test_all_forms_are_one_program(exported: Path) -> None:
    programs = [read_program(exported / form / name) for form, name in PROGRAMS.items()]
    assert list(PROGRAMS) == list(FORMS)
    first = programs[0]
    assert not first.warnings
    for other in programs[1:]:
        assert other.groups == first.groups
        for core, columns in first.cores.items():
            for name in columns.__slots__:
                assert np.array_equal(getattr(columns, name), getattr(other.cores[core], name)), name
    told = [json.loads((exported / f"{form}.json").read_text()) for form in FORMS]
    assert {each["instructions"] for each in told} == {first.instructions}
    assert [each["program"] for each in told] == [str(exported / form / name) for form, name in PROGRAMS.items()]


@pytest.mark.parametrize("form", PROGRAMS)
def test_every_form_can_be_timed(emu: Emu, exported: Path, form: str) -> None:
    result = emu("time", exported / form / PROGRAMS[form], "--arch", exported / form / "chip.json", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert not found["warnings"]
    assert found["latency_ps"] > 0
    assert all(core["finish_ps"] > 0 for core in found["cores"])


@pytest.mark.parametrize("form", ["pimsim", "json-gz", "json-dir"])
def test_what_stands_beside_it_is_enough_to_run_it(exported: Path, digits_image: Path, form: str) -> None:
    memory, config = run_program(exported / form)
    found = tensor(memory, config["reram_emu"]["outputs"][0]).reshape(-1)
    golden = open_image(digits_image).golden()
    assert golden is not None
    assert np.allclose(found, golden["out0"][0].reshape(-1), rtol=1e-4, atol=1e-4)


def test_the_chip_has_the_sizes_of_ours(exported: Path) -> None:
    chip = read_chip(exported / "pim" / "chip.json")
    assert not chip.warnings
    config = chip.config.chip_config
    assert (config.core_cnt, config.core_config.matrix_config.xbar_size) == (5, (128, 128))
    assert config.core_config.matrix_config.xbar_array_count == 64
    assert len(chip.network.latency) == 6 * 5


def test_weights_as_json_are_the_same(emu: Emu, digits_image: Path, exported: Path, tmp_path: Path) -> None:
    result = emu("export", digits_image, "--weights", "json", "-o", tmp_path / "x")
    assert result.exit_code == 0, result.output
    for core in range(5):
        matrices = json.loads((tmp_path / "x" / f"core_{core}_weights.json").read_text())
        for group, matrix in enumerate(matrices):
            array = np.load(exported / "pimsim" / f"core_{core}_{group}.npy")
            assert np.array_equal(np.array(matrix, np.float32), array)


def test_an_earlier_export_is_replaced_and_nothing_else(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    out = tmp_path / "x"
    assert emu("export", digits_image, "--to", "pim", "-o", out).exit_code == 0
    result = emu("export", digits_image, "--to", "json-gz", "-o", out)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{digits_image} -> {out / 'program.json.gz'}: 5 cores, ")
    assert not list(out.glob("*.pim"))
    (out / "mine.txt").write_text("!")
    result = emu("export", digits_image, "-o", out)
    assert result.exit_code == 2
    assert "holds 'mine.txt', which is of no earlier export and would be lost" in result.stderr
    assert (out / "program.json.gz").exists()
    result = emu("export", digits_image, "-o", digits_image)
    assert result.exit_code == 2
    assert "of no earlier export" in result.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text("{}")
    result = emu("export", digits_image, "-o", tmp_path / "other")
    assert "holds 'config.json'" in result.stderr


def test_what_cannot_be_said_is_told_with_core_instruction_and_node(emu: Emu, tmp_path: Path) -> None:
    assembly = tmp_path / "x.asm"
    assembly.write_text(
        'arch tiny\ninput "x" f32[1, 4] at 0x00\noutput "y" f32[1, 4] at 0x10\n'
        'core 0 {\n  main {\n    @ "soft" "exp"\n    ld l[0x00], g[0x00], 16\n'
        "    vexp.f32 l[0x00], l[0x00], 4\n    st g[0x10], l[0x00], 16\n    halt\n  }\n}\n"
    )
    assert emu("import", assembly, "-o", tmp_path / "image").exit_code == 0
    result = emu("export", tmp_path / "image", "-o", tmp_path / "x")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "core 0, main[1] (vexp.f32) of node 'soft': PIM-ISA has no such instruction" in result.stderr
    assert not (tmp_path / "x").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["image", "x.asm"]

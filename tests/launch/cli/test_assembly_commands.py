"""`emu export --to asm` and `emu import`: text of an image, and back."""

from dataclasses import replace
from pathlib import Path

from commands import Emu

from emu.image.reader import open_image


def test_image_to_text_to_image(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    text = emu("export", "--to", "asm", digits_image)
    assert (text.exit_code, text.stderr) == (0, "")
    written = emu("export", "--to", "asm", digits_image, "-o", tmp_path / "text")
    assert written.exit_code == 0
    assert Path(written.stdout.strip()).read_text() == text.stdout
    again = emu("import", tmp_path / "text", "-o", tmp_path / "again")
    assert (again.exit_code, again.stderr) == (0, "")
    known = replace(open_image(digits_image).manifest, crossbars=None)  # text may be edited: nobody vouches for cells
    assert open_image(tmp_path / "again").manifest == known
    assert emu("launch", tmp_path / "again", "--sequential").exit_code == 0


def test_one_core(emu: Emu, digits_image: Path, tmp_path: Path) -> None:
    one, whole = emu("export", "--to", "asm", digits_image, "--core", 1), emu("export", "--to", "asm", digits_image)
    assert one.exit_code == 0
    assert "mvmul.f32.f32" in one.stdout
    assert one.stdout in whole.stdout
    assert emu("export", "--to", "asm", digits_image, "--core", 77).exit_code == 2
    assert emu("export", "--to", "asm", digits_image, "--core", 1, "-o", tmp_path / "x").exit_code == 2


def test_faults_name_file_and_line(emu: Emu, tmp_path: Path) -> None:
    source = tmp_path / "bad.asm"
    source.write_text("arch tiny\ncore 0 {\n  main {\n    vrelu.f33 l[0], l[0], 4\n  }\n}\n")
    result = emu("import", source, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert f"error: {source}:4" in result.stderr
    assert not (tmp_path / "out").exists()

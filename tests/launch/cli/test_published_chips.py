"""Networks are compiled for every preset of a published chip, and its figures go with the image."""

from pathlib import Path

import pytest
from commands import DIGITS, Emu

from emu.arch_file import load_arch, preset_names
from emu.image.reader import open_image

PUBLISHED = [name for name in preset_names() if load_arch(name).timing is not None]
TOO_SMALL = {"cim-mlc-jain", "jain"}  # 16 KB of weights


@pytest.mark.parametrize("name", [name for name in PUBLISHED if name not in TOO_SMALL])
def test_a_network_is_compiled_for_a_published_chip(emu: Emu, tmp_path: Path, name: str) -> None:
    done = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", name, "--golden", "none")
    assert done.exit_code == 0, done.stderr
    assert "check proved" in done.stdout
    assert open_image(tmp_path / "out").arch == load_arch(name)


@pytest.mark.parametrize("name", sorted(TOO_SMALL))
def test_a_chip_that_is_too_small_says_how_many_it_would_take(emu: Emu, tmp_path: Path, name: str) -> None:
    done = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", name, "--golden", "none")
    assert done.exit_code == 2
    assert "which take 31 cores of 2 crossbars each" in done.stderr and "8 such chips" in done.stderr


def test_there_are_presets_of_published_chips() -> None:
    chips = {"isaac", "jain", "jia", "pimsim-latency", "prime", "puma"}
    assert set(PUBLISHED) == {*chips, *(f"cim-mlc-{name}" for name in ("isaac", "jain", "jia", "puma"))}

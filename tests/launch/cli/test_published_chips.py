"""Networks are compiled for every preset of a published chip, and its figures go with the image."""

from pathlib import Path

import pytest
from commands import DIGITS, Emu

from emu.arch_file import load_arch, preset_names
from emu.image.reader import open_image

PUBLISHED = [name for name in preset_names() if load_arch(name).timing is not None]


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_network_is_compiled_for_a_published_chip(emu: Emu, tmp_path: Path, name: str) -> None:
    done = emu("compile", DIGITS, "-o", tmp_path / "out", "--arch", name, "--golden", "none")
    assert done.exit_code == 0, done.stderr
    assert "check proved" in done.stdout
    assert open_image(tmp_path / "out").arch == load_arch(name)


def test_there_are_presets_of_published_chips() -> None:
    assert set(PUBLISHED) == {"isaac", "jain", "jia", "pimsim-latency", "prime", "puma"}

"""A run over several machines whose image is damaged on its way."""

from pathlib import Path

import pytest
from commands import Emu
from image_links import DamagingSender
from images import write_image
from stepper import program

from launch.machines.content import delivery


def test_a_run_whose_image_is_damaged_on_its_way(emu: Emu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "ImageSender", DamagingSender)
    image = write_image(tmp_path / "one", {0: program(0, ("lldi", 0, 1, 4))})
    done = emu("launch", image, "--hosts", "local:1", "--golden", "none")
    assert done.exit_code == 5, done.stderr
    assert "error: host local-0 does not take the image: " in done.stderr
    assert "came damaged, and once more when it was asked for again" in done.stderr

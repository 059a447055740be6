"""Images travel to real agents over their links: unchanged, refused with the name of the host, gone at the end."""

import os

import pytest
from agents import joined_agents
from image_links import DamagingSender, content
from images import write_image
from stepper import program

from emu.image.reader import open_image
from launch.machines.content import delivery
from launch.machines.content.delivery import HostPart, deliver
from launch.machines.content.refusal import ImageRefused


def test_agents_take_images_and_refuse_damaged_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    one, two = (
        open_image(write_image(tmp_path / name, {core: program(core, ("lldi", core, byte, 4)) for core in range(4)}))
        for name, byte in (("one", 1), ("two", 2))
    )
    with joined_agents(2) as agents:

        def pump() -> None:
            for agent in agents:
                agent.wait(0.02)
                agent.pump()

        parts = [HostPart(agents[0], frozenset({0, 3})), HostPart(agents[1], frozenset({1, 2}))]
        places = deliver(one, parts, pump)
        whole = content(one.path)
        for place, cores in zip(places, ("03", "12"), strict=True):
            assert content(place) == {
                name: whole[name] for name in ("manifest.json", *(f"core_000{c}.prog" for c in cores))
            }
        with monkeypatch.context() as patch:
            patch.setattr(delivery, "ImageSender", DamagingSender)
            with pytest.raises(ImageRefused, match=r"^host h1 does not take the image: .* came damaged, and") as caught:
                deliver(two, parts, pump)
        assert caught.value.exit_code == 5
        assert not any(map(os.path.isdir, places))  # there was another one
        assert content(deliver(two, parts, pump)[1])["core_0002.prog"] == content(two.path)["core_0002.prog"]
        assert deliver(one, parts, pump, shared=True) == [str(one.path)] * 2
    assert not list((tmp_path / "cache" / "emu" / "files").glob(".image*"))

"""Small images that run on warm zygotes, and whether these still serve."""

from images import byte_tensor, write_image
from stepper import program

from launch.chips.power import power_on

SEVENS = ("lldi", 0, 7, 8)


def write_sevens(path):
    """One core that gives eight sevens; it says so at once."""
    return write_image(path, {0: program(0, SEVENS, ("st", 0, 0, 8))}, (), (byte_tensor("y", 8, 0),))


def assert_serves(image, zygotes):
    with power_on(image, zygotes=zygotes, timeout=60) as chip:
        assert chip.run({})["y"].tolist() == [[7] * 8]

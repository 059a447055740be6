"""For the tests of networks: an assertion that a network runs right; the pytest plug-in is `reram_emu_pytest`."""

from launch.testing.validity import assert_valid

__all__ = ["assert_valid"]

"""For tests: of networks that run right, and of back ends of devices; the pytest plug-in is `reram_emu_pytest`."""

from launch.testing.contract import device_contract
from launch.testing.validity import assert_valid

__all__ = ["assert_valid", "device_contract"]

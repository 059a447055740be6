"""What a chip is: its description, read from files and written to them."""

from emu.arch.chip import Arch, Core, Crossbar, GlobalMemory
from emu.arch.network import Network
from emu.arch.read import arch_from_dict, load_arch, parse_arch, preset_names

__all__ = (
    "Arch",
    "Core",
    "Crossbar",
    "GlobalMemory",
    "Network",
    "arch_from_dict",
    "load_arch",
    "parse_arch",
    "preset_names",
)

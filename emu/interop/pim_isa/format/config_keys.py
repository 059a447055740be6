"""Read a configuration: every key has the type of its field, and a range that a chip can have."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from emu.errors import ProgramError
from emu.errors import shown as shown_value
from emu.files import read_text, shown
from emu.image.json_fields import Field, parse_json
from emu.interop.pim_isa.format.config import PimsimConfig
from emu.interop.pim_isa.format.network import NetworkTable, read_network

MAX_BYTES = 1 << 23  # of the file
MAX_INT, MAX_REAL = (1 << 31) - 1, 1e9
_POSITIVE = {  # what nothing works without
    *("period", "data_width", "dac_resolution", "dac_count", "adc_count", "cell_precision", "vector_width"),
    *("bus_width", "rob_size", "core_cnt", "xbar_size", "sim_time", "latency_timeout_ms"),
}
_MOST = {"memory_size": 1 << 62, "xbar_size": 1 << 20, "cell_precision": 64}  # others: MAX_INT
_NODES = {"global_memory_switch_id"}  # names, which may be negative
Group = TypeVar("Group")


@dataclass(frozen=True, slots=True)
class PimsimChip:
    """A configuration with the table of its network, and what was strange about it."""

    config: PimsimConfig
    network: NetworkTable
    warnings: tuple[str, ...]


def read_chip(path: Path) -> PimsimChip:
    """A configuration file and the network file that it names, relative to it; raises ProgramError naming the key."""
    root = parse_json(read_text(path, MAX_BYTES, ProgramError), shown(path))
    warnings: list[str] = []
    config = _group(root, PimsimConfig, warnings)
    name = config.chip_config.network_config.net_config_file_path
    at = Field(name, root.where, "chip_config.network_config.net_config_file_path")
    if not name:
        at.refuse("name the file with the latencies and energies of the network")
    if Path(name).is_absolute() or ".." in Path(name).parts:
        at.refuse(f"expected a file beside the configuration or below it, got {shown_value(name)}")
    if not os.path.exists(path.parent / name):  # noqa: PTH110 (`Path.exists` fails for names that no file can have)
        at.refuse(f"{shown_value(name)} does not exist beside the configuration")
    return PimsimChip(config, read_network(path.parent / name), tuple(warnings))


def _group(root: Field, kind: type[Group], warnings: list[str]) -> Group:
    """An object of the file as an instance of `kind`; keys that it does not have are warned of."""
    types = get_type_hints(kind)
    names = {field.name for field in fields(kind)}  # pyright: ignore[reportArgumentType]
    values: dict[str, Any] = {}
    for key, member in root.mapping().items():
        if key in names:
            values[key] = _value(member, key, types[key], warnings)
        else:
            warnings.append(f"{root.where}: key {member.path!r} is unknown and ignored")
    return kind(**values)


def _value(member: Field, key: str, kind: Any, warnings: list[str]) -> Any:
    if is_dataclass(kind):
        return _group(member, kind, warnings)  # pyright: ignore[reportArgumentType]
    if get_args(kind):
        low, high = (_value(item, key, int, warnings) for item in member.exactly(2))
        return low, high
    return _READ[kind](member, key)


def _whole(member: Field, key: str) -> int:
    value = member.value
    if isinstance(value, float) and value.is_integer():
        member = Field(int(value), member.where, member.path)
    if key == "sim_mode":
        return member.integer(0, 1)
    return member.integer(-MAX_INT if key in _NODES else int(key in _POSITIVE), _MOST.get(key, MAX_INT))


def _real(member: Field, key: str) -> float:
    value = member.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_REAL:
        member.refuse(f"expected a number up to {MAX_REAL:g}, got {shown_value(member.value)}")
    if value < 0 or (value == 0 and key in _POSITIVE) or not math.isfinite(value):
        member.refuse(f"expected a number {'above' if key in _POSITIVE else 'from'} 0, got {shown_value(member.value)}")
    if key == "period" and value < 0.0005:
        member.refuse(f"{shown_value(member.value)} ns is less than half a picosecond, the unit of time")
    return float(value)


def _flag(member: Field, key: str) -> bool:
    if not isinstance(member.value, bool):
        member.refuse(f"expected true or false, got {shown_value(member.value)}")
    return member.value


def _text(member: Field, key: str) -> str:
    return member.text()


_READ = {int: _whole, float: _real, bool: _flag, str: _text}

"""A chip of which one resource is free, or takes another multiple of its time: what would the time be then?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from emu.arch import Arch, Network
from emu.arch.components import TIMED
from emu.arch.key import keys_of
from emu.arch.network import QUEUES
from emu.errors import InputError, option
from emu.wording import nearest

FREE = 0.0
BETWEEN_CHIPS = "chip_link"
_NETWORK = tuple(name for name in keys_of(Network) if name.endswith("_ns"))


def parse_changes(text: str) -> dict[str, float]:
    """`adc=free,network=2x` as factors of what each resource takes; raises InputError."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, amount = part.strip().partition("=")
        if name not in RESOURCES:
            raise InputError(
                f"{option('what-if')} {part.strip()!r}: there is no resource {name!r}{nearest(name, RESOURCES)};"
                f" the resources are {', '.join(RESOURCES)}"
            )
        if name in found:
            raise InputError(f"{option('what-if')} names {name} twice: name each resource once")
        factor = _factor(amount) if equals else None
        if factor is None:
            raise InputError(
                f"{option('what-if')} {part.strip()!r}: write {name}=free, or {name}=2x for twice the time (0.5x for"
                " half of it)"
            )
        if name in _QUEUES and factor:
            raise InputError(f"{option('what-if')} {part.strip()!r}: {name} can only be free: then nobody waits for it")
        found[name] = factor
    return found


def _factor(amount: str) -> float | None:
    if amount == "free":
        return FREE
    try:
        factor = float(amount.removesuffix("x")) if amount.endswith("x") else -1.0
    except ValueError:
        return None
    return factor if 0 <= factor <= 1e6 else None  # NaN is neither


def changed(arch: Arch, changes: Mapping[str, float]) -> Arch:
    """The chip whose resources take so many times what they take."""
    for name, factor in changes.items():
        arch = RESOURCES[name](arch, factor)
    return arch


def resources_of(arch: Arch) -> list[str]:
    """The resources of which this chip's description says that they take time, or that one waits for them."""
    return [name for name, change in RESOURCES.items() if change(arch, FREE) != arch]


def _component(name: str) -> Callable[[Arch, float], Arch]:
    def change(arch: Arch, factor: float) -> Arch:
        if arch.timing is None or (name == BETWEEN_CHIPS and arch.system.chips == 1):
            return arch
        return replace(arch, timing=replace(arch.timing, **{name: _scaled(getattr(arch.timing, name), factor)}))

    return change


def _network(arch: Arch, factor: float) -> Arch:
    network = arch.network
    times = {name: _times(getattr(network, name), factor) for name in _NETWORK}
    if not times["hop_ns"]:
        times["contention"] = "none"  # who passes a link in no time lets nobody wait
    return (
        replace(arch, network=replace(network, **times)) if any(getattr(network, name) for name in _NETWORK) else arch
    )


def _links(arch: Arch, factor: float) -> Arch:
    free = arch.network.contention in QUEUES
    return replace(arch, network=replace(arch.network, contention="none")) if free else arch


def _ports(arch: Arch, factor: float) -> Arch:
    if arch.timing is None or arch.timing.local_ports is None:
        return arch
    return replace(arch, timing=replace(arch.timing, local_ports=None))


def _scaled(part: Any, factor: float) -> Any:
    """A component with all its times multiplied; a rate is divided, and beyond all bounds if the time is 0."""
    times = {one.name: _times(getattr(part, one.name), factor) for one in fields(part) if one.name.endswith("_ns")}
    rates = {
        one.name: None if not factor or rate is None else rate / factor
        for one in fields(part)
        if one.name.endswith("_gb_per_s")
        for rate in [getattr(part, one.name)]
    }
    return replace(part, **times, **rates)


def _times(time: Any, factor: float) -> Any:
    if isinstance(time, tuple):
        return tuple(_times(each, factor) for each in time)
    return None if time is None else time * factor


RESOURCES: Mapping[str, Callable[[Arch, float], Arch]] = {
    **{name: _component(name) for name in TIMED},
    "network": _network,
    "links": _links,
    "local_ports": _ports,
}
_QUEUES = ("links", "local_ports")

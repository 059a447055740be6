"""A chip of which one resource is free, takes a multiple of its time, or is there once more: what would change?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from emu.arch import Arch, Network
from emu.arch.components import TIMED
from emu.arch.key import keys_of
from emu.arch.network import QUEUES
from emu.errors import InputError, option
from emu.timing.countable import BETWEEN_CHIPS, COMPILED, COUNTABLE, more_text, refuse_uncountable, with_more
from emu.wording import nearest

FREE = 0.0
MOST = 1 << 20  # more of a resource
_NETWORK = tuple(name for name in keys_of(Network) if name.endswith("_ns"))


@dataclass(frozen=True, slots=True)
class ChipChanges:
    """How many times its time each resource takes (0: free), and how many more of it there are."""

    factors: Mapping[str, float] = field(default_factory=dict[str, float])
    more: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def names(self) -> tuple[str, ...]:
        """The resources."""
        return *self.factors, *self.more

    @property
    def text(self) -> str:
        """As on the command line."""
        factors = [f"{name}={f'{factor:g}x' if factor else 'free'}" for name, factor in self.factors.items()]
        return ",".join([*factors, *([more_text(self.more)] if self.more else [])])


def parse_changes(text: str) -> ChipChanges:
    """`adc=+1,network=2x,dac=free`; raises InputError."""
    factors, more = dict[str, float](), dict[str, int]()
    for part in (each.strip() for each in text.split(",")):
        name, equals, amount = part.partition("=")
        if name not in (known := [*RESOURCES, *COUNTABLE, *COMPILED]):
            raise InputError(
                f"{option('what-if')} {part!r}: there is no resource {name!r}{nearest(name, known)};"
                f" the resources are {', '.join(dict.fromkeys([*RESOURCES, *COUNTABLE]))}"
            )
        if name in factors or name in more:
            raise InputError(f"{option('what-if')} names {name} twice: name each resource once")
        if (count := _count(amount)) is not None:
            refuse_uncountable(name, part)
            more[name] = count
            continue
        factor = _factor(amount) if equals else None
        if factor is None or name not in RESOURCES:
            raise InputError(f"{option('what-if')} {part!r}: write {_forms(name)}")
        if name in _QUEUES and factor:
            raise InputError(
                f"{option('what-if')} {part!r}: of its times {name} can only be free: then nobody waits for it"
            )
        factors[name] = factor
    return ChipChanges(factors, more)


def _forms(name: str) -> str:
    """What may be asked of a resource."""
    times = f"{name}=free, or {name}=2x for twice the time (0.5x for half of it)" if name in RESOURCES else ""
    return " or ".join(filter(None, [times, f"{name}=+1 for one more of it" if name in COUNTABLE else ""]))


def _count(amount: str) -> int | None:
    """`+1` or `-1`; None if it is another form."""
    digits = amount[1:]
    if amount[:1] not in ("+", "-") or not (digits.isascii() and digits.isdigit()) or len(digits) > len(str(MOST)):
        return None
    return int(amount)


def _factor(amount: str) -> float | None:
    if amount == "free":
        return FREE
    try:
        factor = float(amount.removesuffix("x")) if amount.endswith("x") else -1.0
    except ValueError:
        return None
    return factor if 0 <= factor <= 1e6 else None  # NaN is neither


def changed(arch: Arch, changes: ChipChanges) -> Arch:
    """The chip whose resources take so many times what they take, and are there so often; raises ArchError."""
    arch = with_more(arch, changes.more)
    for name, factor in changes.factors.items():
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

"""The table of properties, each with the function that decides it for one core or for the whole set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from emu.check.bounds import check_bounds
from emu.check.deadlock import Deadlocks, check_credits, check_flow, check_rendezvous
from emu.check.definedness import check_definedness
from emu.check.equal_waits import check_equal_waits
from emu.check.matching import check_matching
from emu.check.overlaps import check_overlaps
from emu.check.races import SharedAccesses, check_races
from emu.check.references import check_references, check_registers
from emu.check.verdict import PROVED, PropertyResult
from emu.check.weights import check_weights
from emu.noc.ports.port import FlowControl
from emu.replay.core_view import CoreView
from emu.replay.traces import Conversation


@dataclass(frozen=True, eq=False)
class CheckedChip:
    """All cores together. `flow` is what to decide for; None: every flow."""

    talk: Conversation
    memory: SharedAccesses
    deadlocks: Deadlocks
    flow: FlowControl | None


@dataclass(frozen=True, slots=True)
class CoreProperty:
    """Decided core by core."""

    key: str
    title: str
    decide: Callable[[CoreView], PropertyResult]


@dataclass(frozen=True, slots=True)
class ChipProperty:
    """Decided for all cores at once."""

    key: str
    title: str
    decide: Callable[[CheckedChip], PropertyResult]


def _credits(chip: CheckedChip) -> PropertyResult:
    return check_credits(chip.deadlocks) if chip.flow is None else check_flow(chip.deadlocks, chip.flow)


def _messages(chip: CheckedChip) -> PropertyResult:
    matching = check_matching(chip.talk)
    return check_equal_waits(chip.talk, chip.memory.events, chip.flow) if matching is PROVED else matching


CORE_PROPERTIES = (
    CoreProperty("bounds", "addresses lie inside memory", check_bounds),
    CoreProperty("references", "groups and events exist", check_references),
    CoreProperty("registers", "registers are written before read", check_registers),
    CoreProperty("overlaps", "no destination overlaps a source in part", check_overlaps),
    CoreProperty("bytes", "local bytes are written before read", check_definedness),
    CoreProperty("weights", "products find their weights on the crossbars", check_weights),
)
CHIP_PROPERTIES = (
    ChipProperty("messages", "sends and receives match", _messages),
    ChipProperty("races", "global memory does not depend on timing", lambda chip: check_races(chip.memory)),
    ChipProperty("rendezvous", "no deadlock under rendezvous", lambda chip: check_rendezvous(chip.deadlocks)),
    ChipProperty("credits", "no deadlock under credits:K", _credits),
)


def chip_properties(flow: FlowControl | None) -> list[ChipProperty]:
    """Those that are asked for: a flow leaves out the deadlock freedom of others."""
    left_out = "" if flow is None else "rendezvous" if flow.credits else "credits"
    return [entry for entry in CHIP_PROPERTIES if entry.key != left_out]

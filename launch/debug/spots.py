"""Places to stop at, as they are written: conditions side by side, all of which must hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from emu.core.trap import INIT_SAMPLE
from emu.debug.accesses import GLOBAL
from emu.debug.conditions import AtInstruction, Condition, InNode, InSample, MemoryRange, OnCore, Sends, Touches
from emu.errors import InputError
from emu.isa.table import LOOP
from emu.wording import nearest
from launch.debug.debugger import Debugger
from launch.debug.words import Words, core_of, space_of, whole

BYTES = "TENSOR | CORE ADDRESS SIZE | global ADDRESS SIZE"
_AT = re.compile(r"(init|main)(?::(\d{1,9})|\[(\d{1,9})\])(?:@(\d{1,9}(?:,\d{1,9})*))?")
_MESSAGE = re.compile(r"(\d{1,9}|\*):(\d{1,9}|\*)(?::(\d{1,18}))?")
SIDES = {"read": (True, False), "write": (False, True), "access": (True, True)}


def parse_spot(words: Words, debugger: Debugger) -> tuple[Condition, ...]:
    """Take all words that are left as conditions; raises InputError for what no instruction can fulfil."""
    found: list[Condition] = []
    while words.left:
        word = words.take("a place")
        if _AT.fullmatch(word):
            found.append(_instruction(word))
        elif word in _READERS:
            found.append(_READERS[word](words, debugger))
        else:
            raise InputError(f"{word!r} is no place to stop at{nearest(word, _READERS)}: {words.usage}")
    if not found:
        raise InputError(f"a place is missing: {words.usage}")
    _check_instructions(found, debugger)
    return tuple(found)


def parse_bytes(words: Words, debugger: Debugger, reads: bool, writes: bool) -> Touches:
    """Take a tensor, or a memory with an address and a size."""
    if words.peek() != "global" and not words.is_whole():
        return Touches(reads, writes, debugger.tensors.spans(words.take("a tensor, or a memory")))
    space = space_of(words, debugger.chip)
    address, size = words.whole("the address"), words.whole("the size", least=1)
    arch = debugger.image.arch
    limit = debugger.chip.subject.global_size if space == GLOBAL else arch.core.local_memory
    if address + size > limit:
        raise InputError(f"bytes {address:#x} to {address + size:#x} are outside of a memory of {limit} bytes")
    return Touches(reads, writes, (MemoryRange(space, address, address + size),))


def _instruction(word: str) -> AtInstruction:
    match = _AT.fullmatch(word)
    assert match is not None
    counters = tuple(int(part) for part in (match[4] or "").split(",") if part)
    return AtInstruction(match[1], int(match[2] or match[3]), counters)


def _check_instructions(conditions: list[Condition], debugger: Debugger) -> None:
    chosen = {c.core for c in conditions if isinstance(c, OnCore)} or set(debugger.chip.programs)
    for spot in conditions:
        if not isinstance(spot, AtInstruction):
            continue
        sections = {
            core: program.main if spot.section == "main" else program.init
            for core, program in debugger.chip.programs.items()
            if core in chosen
        }
        longest = max(map(len, sections.values()), default=0)
        having = [section for section in sections.values() if spot.index < len(section)]
        if not having:
            who = f"core {min(chosen)} has" if len(chosen) == 1 else "all cores have at most"
            raise InputError(f"there is no {spot.section}[{spot.index}]: {who} {longest} instructions there")
        if all(section.columns["op"][spot.index] == LOOP for section in having):
            raise InputError(
                f"{spot.section}[{spot.index}] is a loop, on which no core stands: stop at what it begins with, "
                f"{spot.section}:{spot.index + 1}@..."
            )


def _core(words: Words, debugger: Debugger) -> Condition:
    return OnCore(core_of(words, debugger.chip))


def _node(words: Words, debugger: Debugger) -> Condition:
    name, nodes = words.take("the node"), debugger.nodes
    if name not in nodes:
        raise InputError(f"no instruction comes from a node {name!r}{nearest(name, nodes)}: see `info nodes`")
    return InNode(name)


def _sample(words: Words, debugger: Debugger) -> Condition:
    if words.accept("init"):
        return InSample(INIT_SAMPLE)
    return InSample(words.whole("the sample"))


def _message(words: Words, debugger: Debugger) -> Condition:
    word = words.take("the message")
    match = _MESSAGE.fullmatch(word)
    if match is None:
        raise InputError(f"message {word!r} is not FROM:TO or FROM:TO:NUMBER, with * for any core: {words.usage}")
    ends = [None if part == "*" else whole(part, "the core", words.usage) for part in match.groups()[:2]]
    for core in ends:
        if core is not None and core not in debugger.chip.cores:
            raise InputError(f"core {core} has no program, so no message of it can come")
    return Sends(ends[0], ends[1], None if match[3] is None else int(match[3]))


def _sided(side: str) -> Callable[[Words, Debugger], Condition]:
    return lambda words, debugger: parse_bytes(words, debugger, *SIDES[side])


_READERS: Mapping[str, Callable[[Words, Debugger], Condition]] = {
    "core": _core,
    "node": _node,
    "sample": _sample,
    "message": _message,
    **{side: _sided(side) for side in SIDES},
}

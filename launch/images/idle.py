"""Cores of the chip that a compiled network leaves idle, and compiler options that would use them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from emu.arch import Arch
from emu.arch.chip import FIGURES
from emu.arch.key import TEXT
from emu.arch.schema import MADE_OF
from emu.errors import option
from emu.image.manifest import Manifest
from emu.wording import counted


def kind_of_programs(arch: Arch) -> str:
    """All of a description that programs may depend on: chips with the same one take the same programs.

    Those that are made by a schedule, which weighs times of the chip, depend on its times, too (`kind_of_times`).
    """
    values: dict[str, Any] = {key: value for key, value in arch.to_dict().items() if key not in FIGURES}
    for table, keys in MADE_OF.items():
        said = values if table == "chip" else values.get(table, {})
        for name in (name for name, key in keys.items() if key.check is TEXT or not key.compiled):
            said.pop(name, None)
    return json.dumps(values, sort_keys=True)


_WORKS = {  # by option: what it does with what is idle
    "duplicate": "gives layers copies of their weights, on cores that hold none",
    "remap_rows": "spreads rows that are driven one after another over crossbars that are left",
}

_GOALS = ("duplicate throughput", "duplicate latency")


@dataclass(frozen=True, slots=True)
class Idle:
    """Of the `cores` of the chips those that hold a program, and that might (`allowed`), and why it is no more.

    `options` are those of `emu compile` that would use more, as they are typed, each by itself; `sentence` says it all.
    """

    cores: int
    with_program: int
    allowed: int
    options: tuple[str, ...]
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "cores": self.cores,
            "with_program": self.with_program,
            "allowed": self.allowed,
            "options": list(self.options),
            "sentence": self.sentence,
        }


def idle_of(manifest: Manifest, chip: Arch, with_program: int) -> Idle | None:
    """What is idle of `chip`, a timed one, on which so many cores hold programs of a compiled image; None if nothing.

    None, too, of programs of which nobody knows how they were compiled, and of a network with host nodes.
    """
    allowed = manifest.options.get("cores", "")
    if chip.timing is None or not manifest.compiled_from_model or not allowed.isdecimal() or manifest.segments:
        return None
    given = min(int(allowed), chip.all_cores)
    head = f"{with_program} of {counted(chip.all_cores, 'core')} hold a program"
    if kind_of_programs(chip) != kind_of_programs(manifest.arch):
        if with_program >= chip.all_cores:
            return None
        return Idle(chip.all_cores, with_program, given, (), f"{head}, compiled for {manifest.arch.title}")
    useful = _useful(manifest, chip, given, with_program)
    if with_program >= chip.all_cores and not useful:
        return None
    options = tuple(_typed(name, given, chip) for name in useful)
    works = [f"`{typed}` {_WORKS[name.partition(' ')[0]]}" for typed, name in zip(options, useful, strict=True)]
    return Idle(chip.all_cores, with_program, given, options, "; ".join([head + _why(manifest, chip, given), *works]))


def _useful(manifest: Manifest, chip: Arch, given: int, with_program: int) -> list[str]:
    """The options that would change something: of the goals of copies the one for most samples, if cores are idle."""
    spare = manifest.spare or {}
    goals = [goal for goal in _GOALS if spare.get(goal, chip.all_cores + 1) <= chip.all_cores]
    return [*(goals[:1] if with_program < chip.all_cores else ()), *(["remap_rows"] if "remap_rows" in spare else ())]


def _typed(name: str, given: int, chip: Arch) -> str:
    """An option as it is typed, with more cores where it needs them."""
    word, _, value = name.partition(" ")
    more = word == "duplicate" and given < chip.all_cores
    return (f"{option('cores', chip.all_cores)} " if more else "") + option(word, value or None)


def _why(manifest: Manifest, chip: Arch, given: int) -> str:
    """What keeps the others idle, as far as it is known."""
    if given < chip.all_cores:
        return f", {given} of them may ({option('cores')})"
    if "duplicate" in manifest.options or manifest.spare is None:
        return ""
    if not any(name.startswith("duplicate") for name in manifest.spare):
        return ", and no layer has rows that copies of its weights could share"
    return ", each layer's weights but once"

"""The options of a schedule: how the default passes are changed, and how manifests and texts list that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

TRAFFIC = "traffic"  # how cores may be arranged, beside their numbers
YES = "yes"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleOptions:
    """What a compilation does beside the default; each field is an option of the same name.

    `lowering` is a name in `compiler.passes.SCHEMES`. `duplicate`: what copies of weights are for, or how many of
    each layer there are; `pipelined`: layers overlap within one image. `stagger`: row tiles are multiplied one after
    another, each when its slice is there; `remap_rows`: rows are spread over free crossbars. `arrange`: where cores
    stand, `TRAFFIC` or their numbers.
    """

    lowering: str = "channel"
    duplicate: str | None = None
    pipelined: bool = False
    stagger: bool = False
    remap_rows: bool = False
    arrange: str | None = None

    @property
    def settings(self) -> dict[str, str]:
        """The options that are not as by default, as text."""
        given = {field.name: (getattr(self, field.name), field.default) for field in fields(ScheduleOptions)}
        return {name: YES if value is True else str(value) for name, (value, plain) in given.items() if value != plain}


SCHEDULE: tuple[str, ...] = tuple(field.name for field in fields(ScheduleOptions))


def schedule_of(settings: Mapping[str, str]) -> dict[str, Any]:
    """The options that `settings`, with others among them, list."""
    known = {field.name: field.default for field in fields(ScheduleOptions)}
    listed = {name: text for name, text in settings.items() if name in known}
    return {name: text == YES if isinstance(known[name], bool) else text for name, text in listed.items()}


def is_numbers(text: str) -> bool:
    """Whether it is a list of whole numbers, as in 8,2,1."""
    return all(part.isdecimal() and part.isascii() for part in text.split(","))

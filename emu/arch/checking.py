"""Whether the keys of a chip go together: contradictions, which are errors, and keys that nothing follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from emu.arch.chip import FIGURES, PHYSICS, Arch
from emu.arch.schema import MADE_OF, part_of, schema, values_in
from emu.errors import ArchError

MOST = 3  # keys that a remark names
Locate = Callable[[str, str], str]  # (table, key) -> "file, line 3: "


def checked(arch: Arch, locate: Locate) -> Arch:
    """The same, if no key contradicts others, with remarks on those that nothing follows; raises ArchError."""
    has_figures = any(getattr(arch, name) is not None for name in FIGURES)
    for table, name, _, key in values_in(arch, schema() if has_figures else MADE_OF):
        if key.conflict and (wrong := key.conflict(part_of(arch, table), arch)):
            raise ArchError(f"{locate(table, name)}{table}.{name} {wrong}")
    if has_figures:
        from emu.arch.followed import SCALE, scaled_tables, wrong_laws

        for table in scaled_tables(arch):
            if wrong := wrong_laws(arch, table):
                raise ArchError(f"{locate(table, SCALE)}{table}.{SCALE} {wrong}")
    return replace(arch, remarks=(*arch.remarks, *unheeded(arch)))


def unheeded(arch: Arch) -> Iterator[str]:
    """A sentence on what a chip says of cells and converters whose products do not depend on it."""
    if arch.crossbar.kind == "analog":
        return
    found = values_in(arch, {table: MADE_OF[table] for table in PHYSICS})
    names = [f"{table}.{name}" for table, name, _, key in found if not key.compiled]
    if names:
        more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
        them = "it" if len(names) == 1 else "them"
        yield f'{", ".join(names[:MOST])}{more}: no product follows {them}, as crossbar.kind is not "analog"'

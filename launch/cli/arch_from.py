"""Parameters of other simulators for `emu arch --from`: as TOML of ours, and as plain values for --json."""

from __future__ import annotations

from pathlib import Path

from launch.text.answer import Answer, Verbatim


def tables_from(file: Path) -> Answer:
    """What a file of another simulator says, as the tables of a chip that --analog takes."""
    from emu.arch.overlay import MAX_OVERLAY
    from emu.arch.read import arch_from_tables
    from emu.arch.write import arch_to_toml
    from emu.errors import ArchError
    from emu.files import read_text
    from emu.interop.physics import tables_of_json

    tables = tables_of_json(read_text(file, MAX_OVERLAY, ArchError), str(file))
    arch = arch_from_tables(tables, lambda table, key: f"{file}: ")
    text = arch_to_toml(arch, only={(table, key) for table, values in tables.items() for key in values})
    return Answer({"ok": True, "tables": tables, "toml": text}, [Verbatim(f"# of {file.name}\n{text}")])

"""What cannot be said in PIM-ISA: raised where it is known why, told with core, instruction and node."""

from __future__ import annotations


class ExportRefusal(Exception):
    """Why an instruction cannot be exported, as the end of a sentence."""

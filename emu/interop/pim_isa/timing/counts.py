"""How often a core does what costs energy, as whole numbers by action: independent of when."""

from __future__ import annotations

import numpy as np

from emu.interop.pim_isa.isa import among
from emu.interop.pim_isa.timing.decode import DecodeCounts
from emu.interop.pim_isa.timing.setup import CoreSetup


def core_counts(core: CoreSetup, activity: DecodeCounts) -> dict[str, int]:
    """Per action: how often. Memories count words; `pass`: crossbars times steps of input bits and row groups."""
    costs = core.costs
    write = among(costs.op, "st")
    return {
        "fetch": core.columns.count,
        "decode": activity.decodes,
        "register_read": activity.reads,
        "register_write": activity.writes,
        "scalar": activity.scalars,
        "pass": whole_sum(costs.passes),
        "vector_step": int(costs.steps.sum()),
        "local_read": int((costs.reads * costs.read_words).sum()),
        "local_write": int(costs.write_words.sum()),
        "global_read": int(costs.global_words[~write].sum()),
        "global_write": int(costs.global_words[write].sum()),
    }


def whole_sum(column: np.ndarray) -> int:
    """The sum of numbers of which a few may already fill 64 bits."""
    return (int((column >> 32).sum()) << 32) + int((column & 0xFFFFFFFF).sum())

"""The costs of the instructions of one section: what a cost model gives, and all that an executor asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

WHOLE = -1  # an interval: the unit is free again only when the operation is finished
Action = tuple[str, str]  # component and what it does, such as ("adc", "conversion")


@dataclass(frozen=True, eq=False)
class Costs:
    """Of one execution of each instruction; all arrays are int64 [instructions], times in ps.

    `unit` is a number of `basis.units` (a loop has NO_UNIT and no costs). `issue` is the time of the front end,
    `read` and `write` are that of a port of local memory, `compute` lies between them (of a request: its set-up, before
    anything else), `interval` counts from the end of reading until the unit takes its next operation, at most `compute`
    (WHOLE: until the operation is finished; so of all requests). Of requests: `wire` is the time that all bytes of the
    message take to pass one link, `service` that of a port of the global memory. `counts` are the actions of each
    component.
    """

    unit: np.ndarray
    issue: np.ndarray
    read: np.ndarray
    compute: np.ndarray
    interval: np.ndarray
    write: np.ndarray
    wire: np.ndarray
    service: np.ndarray
    counts: Mapping[Action, np.ndarray]

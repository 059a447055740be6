"""The checker: what can be known of a program set before it runs, without data.

`check(image)` gives a report with a verdict per property; `properties.py` is the table of properties: a new one is a
file and a row there.

Why one abstract run decides deadlock: nothing in a program depends on data except addresses, so the communication of
a core is a fixed list, and what a core waits for (a message, its acknowledgement, a credit, a count of syncs) never
goes away by another core's turn. Every order of turns ends in the same state, so one order decides. Fewer credits only
block more: completion under rendezvous implies completion under every K, under K that under every larger one. Messages,
syncs and waits belong to a sample, and a sample leaves nothing behind, so the first sample decides for all.

Happens-before is program order, a message before what follows its receipt, a receipt before the return of the send
that it makes room for, and the syncs without which a `wait` could not have gone on. With all flows in question an order
that only acknowledgements make is unproved.

Loops: all executions of an instruction have step numbers that are affine in the loop counters. A read is proved at once
when units (instructions outside of loops, outermost loops) before its own have written all its bytes. What is left
reads what its own loop writes: its first iterations are listed exactly, and as soon as the bytes of all further ones
are defined, the rest is proved. So a ring of rows costs a few iterations, whatever the trip count.

Tests run random programs on `step`: what traps is refuted with the same instruction, counters, operand, value and
limit, and what is proved does not trap. Random program sets run in the in-process scheduler under several flows and
samples: verdict, edges, places and stuck cores are the same. Races are compared with reachability in the graph of
happens-before.
"""

from __future__ import annotations

from emu.check.check import check_programs
from emu.check.segments import check
from emu.check.verdict import Finding, Outcome, PropertyResult, Report, Verdict

__all__ = ["Finding", "Outcome", "PropertyResult", "Report", "Verdict", "check", "check_programs"]

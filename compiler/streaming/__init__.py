"""Streaming: every core passes some rows of a tensor at a time, or all, in one total order of all cores.

One order (`order.py`): all computes are swept in topological order, at most one chunk of N rows of each per sweep,
and after the computes of a node come its messages. Every core's program is the projection of that order: both ends of
the least unfinished message have finished all earlier ones, so both reach it, and the programs complete under
rendezvous and every `credits:K`. A whole image is one chunk per tile.

Loops (`roll.py`): the events of a core are rolled into `pim.loop` wherever they repeat with rows that advance evenly;
operations carry `rows` (first row, step per iteration, count, height of the tile). Kernels with one `unit` share
array groups.

Rings (`rings.py`): row r of a tile stands in slot r mod D, where D is the largest number of rows written and not yet
released, rounded up to a multiple of the rows per message, which stay in one piece, and of the step of every loop: so
the address of a row that advances by d is what address generators can do.

Messages of one pair at one place of the order are joined (`adjacency.py`) where the buffers of their tiles can stand
side by side at both ends, are of one type, carry whole buffers and stand in no loop: the receiver could do nothing
with the first one before the last one is there, so nothing comes later and nothing new can deadlock. Buffers are
placed largest first, each in the lowest gap that is free at all places at which it holds something needed
(`lifetimes.py`).
"""

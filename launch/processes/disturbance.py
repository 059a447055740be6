"""What chaos changes in the processes of a run: the order of forks, and the port of every core."""

from __future__ import annotations

import mmap
from functools import partial

from emu.chaos.fault import Fault
from emu.chaos.port import ChaosPort, effects_of, fork_order
from emu.chaos.tally import Tally
from emu.noc.barrier.joining import Net
from emu.noc.between_processes.join import join_core
from emu.noc.between_processes.zmq_port import ZmqPort
from emu.noc.traffic.traffic import Peers
from emu.noc.watch.board import BoardRow
from launch.processes.orders import Orders


def shuffled(orders: Orders, cores: list[int]) -> list[int]:
    """The order in which `cores` are forked."""
    return fork_order(_faults(orders), cores)


def join_disturbed(orders: Orders, net: Net, node: str, core: int, peers: Peers, row: BoardRow) -> ZmqPort:
    """As `join_core`, with the faults of `core`."""
    faults = _faults(orders)
    tally = Tally(mmap.mmap(orders.tally, 0), orders.programs, faults)
    effects = effects_of(faults, core, tally)
    for effect in effects:
        effect.joins()
    return join_core(net, node, core, peers, row, partial(ChaosPort, effects))


def _faults(orders: Orders) -> list[Fault]:
    return [Fault.of(values) for values in orders.chaos]

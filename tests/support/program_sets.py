"""Program sets for tests of the network, whoever drives the cores."""

from __future__ import annotations

from stepper import program

from emu.program.program import Program

SLOT = 64  # bytes of local memory per message buffer


def ordered_messages(cores: int, messages: list[tuple[int, int, int]]) -> dict[int, Program]:
    """Programs that exchange (src, dst, size) in the one given order, hence without deadlock.

    Every core gathers what it receives, forwards a mix of it, overwrites its send buffer at once and stores
    4 slots of its memory to global memory, at 4 * SLOT * core.
    """
    steps: dict[int, list[tuple]] = {core: [("lldi", 0, core + 1, 4 * SLOT)] for core in range(cores)}
    for index, (src, dst, size) in enumerate(messages):
        slot = SLOT * (1 + index % 3)
        steps[src] += [("lmv", 3, slot, size), ("send", dst, 0, size), ("lldi", 0, index % 256, size)]
        steps[dst] += [("recv", src, slot, size)]
    for core in range(cores):
        steps[core].append(("st", 4 * SLOT * core, 0, 4 * SLOT))
    return {core: program(core, *steps[core]) for core in range(cores)}


def ring(cores: int, send_first: bool) -> dict[int, Program]:
    """Every core receives from the previous and sends to the next one: a cycle that deadlocks."""

    def steps(core):
        exchange = [("recv", (core - 1) % cores, 0, 8), ("send", (core + 1) % cores, 64, 8)]
        return [("lldi", 0, 1, 128), *(exchange[::-1] if send_first else exchange)]

    return {core: program(core, *steps(core)) for core in range(cores)}


DEADLOCKS: dict[str, tuple[dict[int, Program], list[tuple[int, str, int, int]], int | None]] = {
    "recv cycle of 2": (ring(2, False), [(0, "recv", 1, 0), (1, "recv", 0, 0)], None),
    "send cycle of 2": (ring(2, True), [(0, "send", 1, 0), (1, "send", 0, 0)], None),
    "recv cycle of 3": (ring(3, False), [(0, "recv", 2, 0), (2, "recv", 1, 0), (1, "recv", 0, 0)], None),
    "send cycle of 3": (ring(3, True), [(0, "send", 1, 0), (1, "send", 2, 0), (2, "send", 0, 0)], None),
    "chain to a halted core": (
        {
            0: program(0, ("recv", 1, 0, 8)),
            1: program(1, ("lldi", 0, 7, 8), ("recv", 2, 8, 8), ("recv", 2, 8, 8), ("send", 0, 0, 8)),
            2: program(2, ("lldi", 0, 7, 8), ("send", 1, 0, 8)),
        },
        [(0, "recv", 1, 0), (1, "recv", 2, 1)],
        2,
    ),
    "send to a halted core": (
        {0: program(0, ("lldi", 0, 7, 8), ("send", 1, 0, 8)), 1: program(1, ("lldi", 0, 7, 8))},
        [(0, "send", 1, 0)],
        1,
    ),
    "wait that is synced too rarely": (
        {
            0: program(0, ("wait", 3, 2), ("wait", 3, 1)),
            1: program(1, ("sync", 0, 3), ("sync", 0, 3), ("recv", 0, 0, 8)),
        },
        [(0, "wait", -1, 3), (1, "recv", 0, 0)],
        None,
    ),
    "wait that nobody syncs": ({0: program(0, ("wait", 5, 1)), 1: program(1)}, [(0, "wait", -1, 5)], None),
}
RENDEZVOUS_ONLY = {"send cycle of 2", "send cycle of 3", "send to a halted core"}

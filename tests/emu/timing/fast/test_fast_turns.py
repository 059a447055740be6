"""Who comes first at equal times: everything else before services, and these in the order of cores."""

from timed_programs import network, setup
from timed_results import everything

from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.timing.executor.step import step
from emu.timing.fast.fast import fast

COSTS = {"vvadd": {"compute": 10}, "ld": {"service": 7}, "st": {"wire": 4}, "send": {"wire": 4}}


def programs(**steps):
    """Cores c0, c1, ... of a few instructions each: `add`, `load`, `store`, or a name with its fields."""
    found = {}
    for core, names in steps.items():
        build = SectionBuilder()
        for name in names:
            if name == "add":
                build.emit("vvadd", (DType.i8,), (Address(0), Address(0), Address(0)), n=1)
            elif name in ("load", "store"):
                build.emit("ld" if name == "load" else "st", (), (Address(0), Address(0)), size=8)
            else:
                build.emit(name[0], (), [Address(0)] * (name[0] in ("send", "recv")), **name[1])
        found[int(core[1:])] = Program(int(core[1:]), main=build.finish())
    return found


def ends(known):
    """When each core ends, the same for both executors."""
    timing = fast(known)
    assert everything(timing) == everything(step(known))
    return timing.main.ends[:, 0].tolist()


def test_a_wait_that_is_over_comes_before_a_service():
    """Core 1 asks the memory at 10, when a chain of events has reached it; it is served before core 3."""
    wait, near = ("wait", {"event": 0, "value": 1}), network(hop=0, flit=0)
    known = programs(
        c0=["add", ("sync", {"core": 5, "event": 0})],
        c1=[wait, "load"],
        c3=["add", "load"],
        c5=[wait, ("sync", {"core": 1, "event": 0})],
    )
    assert ends(setup(known, COSTS, near)) == [10, 17, 24, 10]


def test_the_lowest_core_is_served_first():
    """Core 1 comes to the memory at the same time as core 2, by a message that core 3 has been asked for before."""
    size = {"size": 8}
    known = programs(
        c1=[("recv", {"core": 3, **size}), "load"],
        c2=["add", "load"],
        c3=["add", ("send", {"core": 1, **size})],
    )
    costs = {**COSTS, "send": {}}
    assert ends(setup(known, costs, network(hop=0, flit=0))) == [17, 24, 10]
    assert ends(setup(known, costs, network(hop=0, flit=0), memory_ports=2)) == [17, 17, 10]


def test_the_lowest_core_takes_a_link_first():
    known = programs(c1=["store"], c2=["store"], c3=["store"])
    first, second, third = ends(setup(known, COSTS, network(contended=True)))
    assert first < second < third


def test_cores_that_share_links_only():
    """Two pairs of cores that never talk to each other."""
    known = programs(
        c0=[("send", {"core": 2, "size": 8})],
        c1=[("send", {"core": 3, "size": 8})],
        c2=[("recv", {"core": 0, "size": 8})],
        c3=[("recv", {"core": 1, "size": 8})],
    )
    alone, together = (ends(setup(known, COSTS, network(contended=links))) for links in (False, True))
    assert together[0] == alone[0]
    assert together[1] == alone[1] + 10 + 4  # behind the message of core 0, which comes to link 1 - 2 after 10 ps

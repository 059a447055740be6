"""What cannot be timed is refused in one sentence: no figures, deadlocks, messages that do not match."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from product_sets import products
from program_sets import DEADLOCKS, RENDEZVOUS_ONLY, ordered_messages
from stepper import program
from talks import anything, nearly_ordered

from emu.arch import Arch, Network
from emu.arch.figures import Timing
from emu.arch.read import load_arch
from emu.check.deadlock import Deadlocks
from emu.errors import ArchError
from emu.isa.address import Address
from emu.isa.dtypes import DType
from emu.noc.ports.port import FlowControl
from emu.program.builder import SectionBuilder
from emu.program.program import Program
from emu.replay.core_view import CoreView
from emu.replay.traces import Conversation, core_traces
from emu.timing.executor.step import step
from emu.timing.prepare import TimingRefused, absent, prepare, timing_keys
from emu.timing.setup import SECTIONS

BARE = Arch(cores=16, timing=Timing())


def test_a_chip_without_times():
    with pytest.raises(ArchError, match=r"^architecture default has no table \[timing\]: add one"):
        prepare({0: products(1)}, load_arch("default"), FlowControl())


def test_all_missing_figures_are_named():
    with pytest.raises(ArchError) as error:
        prepare({0: products(1)}, load_arch("prime"), FlowControl())
    text = str(error.value)
    assert "timing.crossbar.read_ns" in text and "timing.adc.convert_ns" in text and "for the time of a product" in text
    assert text.count("\n") == 0


def test_programs_without_products_need_no_figures_of_arrays():
    setup = prepare({0: program(0, ("lldi", 0, 1, 8))}, BARE, FlowControl())
    assert step(setup, 2).main.ends.tolist() == [[0, 0]]
    assert "timing.vector.pass_ns" in absent(BARE) and "network.hop_ns" in absent(BARE)
    assert "network.hop_ns" not in absent(load_arch("pimsim-latency"))


def test_what_takes_no_time_if_nobody_says_how_long():
    """What reports name, in their order; of these a table of latencies stands in the place of the last two."""
    parts = {
        "timing.crossbar": ("write_row_ns",),
        "timing.vector": ("lanes", "pass_ns", "special_ns"),
        "timing.scalar": ("op_ns",),
        "timing.control": ("issue_ns",),
        "timing.transfer": ("start_ns",),
        "timing.local_memory": ("width_bytes", "read_ns", "write_ns"),
        "timing.global_memory": ("width_bytes", "read_ns", "write_ns"),
        "network": ("flit_bytes", "flit_ns", "hop_ns"),
    }
    keys = tuple(f"{table}.{name}" for table, names in parts.items() for name in names)
    assert timing_keys(load_arch("puma")) == keys
    assert timing_keys(load_arch("pimsim-latency")) == keys[:-2]


@pytest.mark.parametrize("name", DEADLOCKS)
@pytest.mark.parametrize("credits", [0, 2])
def test_deadlocks_are_refused_with_the_report_of_the_checker(name, credits):
    programs, flow = DEADLOCKS[name][0], FlowControl(credits)
    views = {core: CoreView(code, BARE) for core, code in programs.items()}
    traces = {section: {core: core_traces(view)[section] for core, view in views.items()} for section in SECTIONS}
    report = Deadlocks(Conversation(traces, programs)).under(FlowControl(credits))
    assert (report is None) == (credits > 0 and name in RENDEZVOUS_ONLY)
    if report is not None:
        with pytest.raises(TimingRefused) as error:
            prepare(programs, BARE, flow)
        assert str(error.value) == f"under {flow}: {report}" and error.value.exit_code == 2


def test_messages_that_do_not_match():
    programs = {0: program(0, ("send", 1, 0, 8)), 1: program(1, ("recv", 0, 0, 4))}
    with pytest.raises(TimingRefused, match=r"with 8 bytes, meets a receive of 4 bytes"):
        prepare(programs, BARE, FlowControl())


@given(st.one_of(anything(), nearly_ordered()), st.sampled_from((0, 1, 3)))
def test_what_is_not_refused_ends(programs, credits):
    try:
        setup = prepare(programs, BARE, FlowControl(credits))
    except TimingRefused:
        return
    assert step(setup, 3).main.ends.shape == (len(programs), 3)


def test_requests_whose_ways_are_too_long_in_all_are_refused():
    def timed(hop_ns):
        prepare(ordered_messages(3, [(0, 1, 8)] * 20), replace(BARE, network=Network(hop_ns=hop_ns)), FlowControl())

    timed(1e12)  # 20 messages over some links of 1e15 ps each
    with pytest.raises(TimingRefused, match=r"may take [0-9.e+]+ hours"):
        timed(1e13)


def test_contended_links_need_hops():
    programs = ordered_messages(3, [(0, 1, 8)])
    with pytest.raises(
        ArchError, match=r'network.contention = "links" follows messages hop by hop: give network.hop_ns'
    ):
        prepare(programs, replace(BARE, network=Network(contention="links")), FlowControl())
    links = Network(contention="links", hop_ns=1.0, flit_ns=0.5, flit_bytes=4)
    assert step(prepare(programs, replace(BARE, network=links), FlowControl())).main.links[0, 1] == 2 * 500


def test_a_table_of_latencies_has_a_row_for_every_core():
    programs, table = ordered_messages(3, [(0, 2, 8)]), ((0.0, 5.0), (5.0, 0.0))
    with pytest.raises(ArchError, match=r"network.latency_table_ns has 2 rows.* use core 2: give a row"):
        prepare(programs, replace(BARE, network=Network(latency_table_ns=table)), FlowControl())


def test_window_of_the_chip_or_of_its_model():
    isaac = load_arch("isaac")
    assert prepare({0: products(1)}, isaac, FlowControl()).window == 16
    assert prepare({0: products(1)}, replace(isaac, timing=replace(isaac.timing, window=3)), FlowControl()).window == 3
    assert prepare({0: products(1)}, load_arch("pimsim-latency"), FlowControl()).window == 1


def huge(name, types, operands, **fields):
    build = SectionBuilder()
    with build.loop(fields.pop("trips", 1)):
        build.emit(name, types, [Address(0) for _ in range(operands)], **fields)
    return {0: Program(0, main=build.finish())}


PUMA = load_arch("puma").timing
MEMORY = replace(PUMA.local_memory, width_bytes=1, read_ns=1e9, write_ns=1e9)
SLOW = replace(load_arch("puma"), timing=replace(PUMA, local_memory=MEMORY))


@pytest.mark.parametrize(
    ("programs", "arch", "samples"),
    [
        (huge("lldi", (), 1, byte=0, size=1 << 40), SLOW, 1),
        (huge("ld", (), 2, size=1 << 40), SLOW, 1),
        (huge("mmul", (DType.i8,) * 3, 3, m=1 << 25, k=1 << 30, n=1), load_arch("puma"), 1),
        (huge("nop", (), 0, trips=(1 << 31) - 1), load_arch("puma"), 1 << 30),
        ({0: products(1)}, replace(SLOW, crossbar=replace(SLOW.crossbar, dac_bits=1)), 1 << 40),
    ],
)
def test_what_takes_longer_than_64_bits_hold(programs, arch, samples):
    with pytest.raises(TimingRefused, match=r"takes more than 20 hours|may take .* hours"):
        prepare(programs, arch, FlowControl(), samples)


def test_products_of_slow_converters():
    timing = load_arch("puma").timing
    slow = replace(load_arch("puma"), timing=replace(timing, adc=replace(timing.adc, convert_ns=1e9)))
    assert step(prepare({0: products(1)}, slow, FlowControl())).latency > 18 * 128 * 10**12
    with pytest.raises(TimingRefused, match=r"mvmul\.f32\.f32 takes more than 20 hours"):
        prepare({0: products(1, cols=1 << 15, rows=1)}, slow, FlowControl())

"""One more of a resource: which keys that is, what it costs, and when more can only be faster."""

from dataclasses import fields, replace

import numpy as np
import pytest
from core_programs import Seeded
from hypothesis import assume, given
from hypothesis import strategies as st
from product_sets import products
from timed_sets import ARCH, Sets

from emu.arch.derived import derived
from emu.arch.read import load_arch, preset_names
from emu.arch.schema import schema, values_in
from emu.errors import ArchError, InputError
from emu.noc.ports.port import FlowControl
from emu.timing.changes import ChipChanges, changed, parse_changes
from emu.timing.chip.needed import figure
from emu.timing.countable import COMPILED, COUNTABLE, one_more, steps_of, with_more
from emu.timing.fast.fast import fast
from emu.timing.model.costs import Costs
from emu.timing.prepare import prepare
from emu.timing.repriced import repriced

TIMED = [name for name in preset_names() if load_arch(name).timing]
PRODUCING = ("isaac", "puma", "pimsim-latency")  # chips whose tables have all that a product needs


def test_rows_name_keys_that_programs_do_not_depend_on():
    known = {f"{table}.{name}": key for table, keys in schema().items() for name, key in keys.items()}
    assert not any(known[key].compiled for row in COUNTABLE.values() for key in row.keys)
    assert all(known[key].compiled for key in COMPILED.values() if key in known and key != "system.chips")
    assert {*COMPILED.values()} <= {*known}


@given(st.sampled_from(TIMED), st.sampled_from(sorted(COUNTABLE)), st.integers(-3, 200))
def test_only_the_keys_of_the_row_change(name, resource, count):
    arch = load_arch(name)
    try:
        steps = steps_of(arch, {resource: count})
        chip = with_more(arch, {resource: count})
    except ArchError as error:
        assert f"{resource}={count:+}" in str(error)
        return
    assert (chip == arch) == (count == 0)
    for key, (before, after) in steps.items():
        assert key in COUNTABLE[resource].keys and after == before + count
        assert count == 0 or figure(chip, key) == after
        assert figure(arch, key) in (before, None)
    back = {key: before for key, (before, _) in steps.items()}
    again, as_before = (
        {(table, key): value for table, key, value, _ in values_in(replace(each, published=None), schema())}
        for each in (derived(chip, back), derived(arch, back))
    )
    assert again.keys() == as_before.keys()
    for place, value in again.items():  # figures that follow laws went there and back
        assert value == (pytest.approx(as_before[place], rel=1e-9) if isinstance(value, float) else as_before[place])


@pytest.mark.parametrize("name", PRODUCING)
def test_costs_with_more_are_those_of_preparing_anew(name):
    arch, programs = load_arch(name), {0: products(3)}
    setup = prepare(programs, arch, FlowControl())
    more = {resource: count for resource, count in one_more(arch).items() if count}
    assert {"adc", "window", "links"} <= set(more)
    for resource, count in more.items():
        chip = with_more(arch, {resource: count})
        again, anew = repriced(setup, chip), prepare(programs, chip, FlowControl())
        assert (again.window, again.local_ports, again.fill) == (anew.window, anew.local_ports, anew.fill)
        costs = [each.cores[0].sections["main"].costs for each in (again, anew)]
        for column in (field.name for field in fields(Costs)):
            ours, theirs = (getattr(each, column) for each in costs)
            if column == "counts":
                assert ours.keys() == theirs.keys() and all(np.array_equal(ours[at], theirs[at]) for at in ours)
            else:
                assert np.array_equal(ours, theirs), (resource, column)
        assert fast(again).latency == fast(anew).latency


def test_more_converters_than_lines_are_refused():
    for more, words in (({"adc": 128}, "exceeds the 128 bit lines"), ({"dac": 1}, "exceeds the 128 word lines")):
        with pytest.raises(ArchError, match=words):
            with_more(load_arch("isaac"), more)
    assert one_more(load_arch("isaac"))["dac"] == 0
    ideal = derived(load_arch("isaac"), {"crossbar.parallel_rows": 8, "crossbar.dac_count": 16})
    assert steps_of(ideal, {"dac": 1}) == {"crossbar.dac_count": (16, 17), "crossbar.parallel_rows": (8, 9)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("crossbar=+1", "emu sweep MODEL"),
        ("cores=-1", "programs are compiled for chip.cores"),
        ("shift_add=+1", "those that have one are adc"),
        ("window=2x", "write window=+1"),
        ("adc=+1,adc=free", "twice"),
        ("adc=+", "write adc=free"),
        ("adc=+1.5", "write adc=free"),
        ("adc=+99999999999", "write adc=free"),
        ("adcs=+1", "there is no resource 'adcs'"),
    ],
)
def test_numbers_that_make_no_sense(text, words):
    with pytest.raises(InputError) as error:
        parse_changes(text)
    assert words in str(error.value)


def test_forms_combine():
    found = parse_changes("adc=+1, network=2x,window=-3,dac=free")
    assert found == ChipChanges({"network": 2.0, "dac": 0.0}, {"adc": 1, "window": -3})
    assert parse_changes(found.text) == found


TIMES = st.sampled_from([0.0, 0.5, 1.0, 7.25, 40.0])


@given(
    st.integers(0, 1 << 32),
    st.sampled_from(["pipeline", "puma", "cim-mlc"]),
    st.lists(TIMES, min_size=12, max_size=12),
    st.tuples(*[st.integers(1, 9)] * 5),
    st.sampled_from(["adc", "dac", "vector", "window", "local_memory", "bus", "links"]),
    st.integers(1, 6),
    st.sampled_from(["rendezvous", "credits:2"]),
)
def test_more_is_never_slower_where_nothing_queues(seed, model, times, counts, resource, count, flow):
    """Every start is then the latest of sums of costs, which no cost that falls can raise.

    So not where links, ports or the global memory serve whoever comes first, and not where times come in whole cycles
    that get shorter (the model `isaac`).
    """
    keys = ("dac.latency_ns", "sample_hold.latency_ns", "shift_add.latency_ns", "vector.special_ns", "scalar.op_ns")
    keys += ("control.issue_ns", "transfer.start_ns", "local_memory.read_ns", "local_memory.write_ns", "bus.word_ns")
    figures = {f"timing.{key}": ns or (0.5 if "special" in key else 0.0) for key, ns in zip(keys, times, strict=False)}
    figures |= {"timing.crossbar.read_ns": 5.0 + times[10], "timing.adc.convert_ns": 1.0 + times[11]}
    adcs, dacs, lanes, width, flit = counts
    chip = derived(
        ARCH,
        figures
        | {
            "timing.model": model,
            "timing.pipelined": bool(seed % 2),
            "timing.output_register.latency_ns": 1.0,
            "timing.window": 1 + seed % 5,
            "timing.vector.lanes": lanes,
            "timing.vector.pass_ns": 2.0,
            "timing.local_memory.width_bytes": width,
            "timing.bus.width_bytes": width,
            "crossbar.dac_bits": 2,
            "crossbar.dac_count": dacs,
            "crossbar.adc_count": adcs,
            "network.flit_bytes": flit,
            "network.flit_ns": 1.0,
            "network.hop_ns": 2.0,
        },
    )
    setup = prepare(Sets(Seeded(seed)).programs(), chip, FlowControl.parse(flow), 3)
    before = fast(setup, 3)
    after = fast(repriced(setup, with_more(chip, {resource: count}), 3), 3)
    assert after.latency <= before.latency and after.main.end <= before.main.end
    assert not (after.main.ends > before.main.ends).any()


@given(st.sampled_from(TIMED), st.sampled_from(sorted(COUNTABLE)), st.sampled_from(["adc", "network", "crossbar"]))
def test_factors_apply_to_the_chip_with_more(name, resource, slow):
    arch = load_arch(name)
    count = one_more(arch).get(resource, 0)
    assume(count)
    chip = changed(arch, ChipChanges({slow: 2.0}, {resource: count}))
    assert chip == changed(with_more(arch, {resource: count}), ChipChanges({slow: 2.0}))


def test_shorter_cycles_may_be_slower_where_times_come_in_whole_ones():
    """A product of the model `isaac`: 150 ns of reading and of writing are a cycle of 150 each, or two of 140."""
    words = {f"timing.local_memory.{action}_ns": 150 / 8 for action in ("read", "write")}
    product = {"crossbar.dac_bits": 16, "crossbar.adc_count": 64, "timing.crossbar.read_ns": 140}
    chip = derived(load_arch("isaac"), words | product | {"timing.adc.convert_ns": 75})
    setup = prepare({0: products(1)}, chip, FlowControl())
    more = repriced(setup, with_more(chip, {"adc": 64}))
    cycles = [int(each.cores[0].sections["main"].costs.compute[0]) for each in (setup, more)]
    assert fast(more).latency - fast(setup).latency == 2 * (280 - 150) * 1000 - 2 * (150 - 140) * 1000
    assert cycles[1] > cycles[0]

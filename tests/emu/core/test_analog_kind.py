"""Array groups of cells in cores: both engines, trials alone and among others, and the ideal crossbar's bits."""

from dataclasses import replace

import numpy as np
import pytest
from analog_cases import mappings, maybe
from core_programs import ARCH, Drawn, Generator, weights
from core_runs import Trace, run, run_section
from draws import examples
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from emu.analog.counts import PLACE, new_counts
from emu.arch import Arch, arch_from_dict
from emu.core.crossbars.bank import BankCrossbar
from emu.core.crossbars.crossbar import make_crossbar
from emu.core.crossbars.origin import Origin, Position
from emu.core.engines.core import Core
from emu.core.trap import CoreTrap
from emu.errors import ArchError
from emu.isa.dtypes import DType
from emu.program.builder import SectionBuilder
from emu.program.group import GroupSpec
from emu.program.nesting import executions
from emu.replay.writes import written_cells

WEIGHTS = weights()
NOISY = (
    {},
    {"programming": "gaussian", "programming_sigma": 0.1},
    {"read_noise": "gaussian", "read_sigma": 0.05},
    {"programming": "aihwkit-pcm", "read_noise": "aihwkit-pcm", "drift": "aihwkit-pcm", "time_s": 1e4, "g_min_us": 1.0},
    {"iv": "cubic", "read_noise": "gaussian", "read_sigma": 0.05},
    {"programming": "gaussian", "programming_sigma": 0.1, "verify_pulses": 3, "verify_tolerance": 0.1},
)


@st.composite
def chips(draw: st.DrawFn) -> Arch:
    """Chips with any physics, of trials of two samples."""
    slicing = draw(st.sampled_from([None, "differential", "offset", "twos-complement"]))
    mapping = {**draw(mappings()), "slicing": slicing}
    crossbar = {
        **ARCH.to_dict()["crossbar"],
        "kind": "analog",
        "cell_bits": draw(st.sampled_from([0, 1, 2, 4])),
        "dac_bits": draw(maybe(st.sampled_from([1, 2, 8]))),
        "adc_bits": draw(maybe(st.sampled_from([4, 8, 12]))),
        "parallel_rows": draw(maybe(st.integers(1, 4))),
        "weight_binding": draw(st.sampled_from(["crossbars", "columns"])),
        "differential": slicing == "differential" or (slicing is None and draw(st.booleans())),
    }
    tables = {
        **ARCH.to_dict(),
        "crossbar": crossbar,
        "mapping": mapping,
        "device": draw(st.sampled_from(NOISY)),
        "faults": draw(st.sampled_from([{}, {"stuck_off": 0.1, "stuck_on": 0.1}])),
        "wires": draw(st.sampled_from([{}, {}, {"row_ohm": 50.0, "col_ohm": 20.0}])),
        "draws": {"seed": draw(st.integers(0, 99)), "samples": 2, "first": draw(st.integers(0, 3))},
    }
    known = {
        name: {key: value for key, value in table.items() if value is not None} if isinstance(table, dict) else table
        for name, table in tables.items()
    }
    try:
        return arch_from_dict(known, "drawn")
    except ArchError:
        assume(False)
        raise


def sections(choose, blocks):
    """Nothing but loops that write array groups and multiply with them."""
    generator = Generator(choose)

    def section(count: int):
        builder = SectionBuilder()
        for _ in range(count and blocks):
            generator.rewriting(builder)
        return builder.finish()

    generator.section = section
    return generator.program()


@settings(max_examples=examples(40, 1000), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data(), chips())
def test_both_engines_give_the_same_bits(data, arch):
    program = sections(Drawn(data), 2)
    try:
        step = run(program, arch, WEIGHTS, "step")
    except ArchError as error:
        event("refused")
        with pytest.raises(ArchError, match="^" + str(error)[:20].replace("[", r"\[")):
            run(program, arch, WEIGHTS, "batch")
        return
    batch = run(program, arch, WEIGHTS, "batch")
    assert (batch.trap, batch.requests, batch.states) == (step.trap, step.requests, step.states)


def counts_of(program, arch, engine):
    """Counts of all array groups, [groups, COUNTS], after `init` and two samples."""
    core, counts = Core(program, arch, WEIGHTS, engine), np.array([new_counts() for _ in program.groups])
    for row, group in zip(counts, core.state.groups, strict=True):
        if isinstance(group, BankCrossbar):
            group.each(lambda made, row=row: made.count_into(row))
        else:
            group.count_into(row)
    for section, sample in (("init", 0), ("main", 0), ("main", 1)):
        core.begin(section, sample)
        run_section(core, Trace())
    return counts


@settings(max_examples=examples(40, 1000), suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data(), chips())
def test_the_cells_that_are_written_are_those_that_the_program_writes(data, arch):
    program = sections(Drawn(data), 2)
    try:
        step, batch = (counts_of(program, arch, engine) for engine in ("step", "batch"))
    except (ArchError, CoreTrap):
        event("refused or trapped")
        return
    for name, place in PLACE.items():  # what is no whole number is added in another order
        assert np.allclose(step[:, place], batch[:, place], rtol=1e-9 if name == "charge" else 0, atol=0), name
    wanted = np.zeros(len(program.groups), int)
    for section in (program.init, program.main, program.main):
        cells = executions(section) * written_cells(section, program.groups, arch)
        np.add.at(wanted, section.columns["arg0"][cells > 0], cells[cells > 0])
    event("some cells are written" if wanted.any() else "none")
    assert step[:, PLACE["rewritten"]].tolist() == wanted.tolist()
    assert (step[:, PLACE["reverified"]] >= wanted).all() and (step[:, PLACE["verified"]] >= wanted).all()


def group_of(arch, dtype=DType.i8):
    """A group of 7 x 5 random weights in two tiles of rows, programmed as group 4 of core 3."""
    spec = GroupSpec(dtype, dtype, DType.f32 if dtype.is_float else DType.i32, (4, 3), (5,))
    group = make_crossbar(spec, arch)
    content = np.zeros((7, spec.padded_cols), dtype.numpy)
    content[:, :5] = np.random.default_rng(0).integers(-99, 100, (7, 5))
    group.program(content, 3, 4)
    return group


def product(group, x, sample):
    """x times the weights, in a sample."""
    y = np.zeros((len(x), 5), group.spec.output.numpy)
    group.multiply(y, x.astype(group.spec.input.numpy), False, False, Origin(Position(3, "main", sample, []), 9))
    return y


X = np.random.default_rng(1).integers(-99, 100, (1, 7))
NOISE = {"programming": "gaussian", "programming_sigma": 0.3, "read_noise": "gaussian", "read_sigma": 0.3}


def noisy_chip(first=0, samples=None, seed=0, **device):
    tables = {
        "crossbar": {"kind": "analog", "rows": 8, "cell_bits": 2, "dac_bits": 1, "adc_bits": 8, "differential": True},
        "device": NOISE | device,
        "draws": {"first": first, "seed": seed} | ({"samples": samples} if samples else {}),
    }
    return arch_from_dict(tables, "noisy")


def test_a_trial_does_not_depend_on_others():
    among = group_of(noisy_chip(samples=3))
    rows = [product(among, X, sample) for sample in range(9)]
    for trial in range(3):
        alone = group_of(noisy_chip(first=trial, samples=3))
        for sample in (2, 0, 1):
            assert np.array_equal(product(alone, X, sample), rows[3 * trial + sample])
    assert len({row.tobytes() for row in rows}) == 9


def test_another_seed_is_another_chip():
    one, other = (product(group_of(noisy_chip(seed=seed)), X, 0) for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_what_is_written_while_it_runs_has_errors_of_its_own():
    group, same = (group_of(noisy_chip(read_sigma=0.0)) for _ in range(2))
    before = product(group, X, 0)
    held = group.content().copy()
    group.write(2, held[2:4], Origin(Position(3, "main", 0, []), 5))
    after = product(group, X, 0)
    assert np.array_equal(group.content(), held) and not np.array_equal(before, after)
    same.write(2, held[2:3], Origin(Position(3, "main", 0, []), 5))
    same.write(2, held[2:4], Origin(Position(3, "main", 0, []), 5))
    assert np.array_equal(product(same, X, 0), after)


@pytest.mark.parametrize("device", [{}, {"verify_pulses": 5, "verify_tolerance": 0.05}])
@given(written=st.lists(st.tuples(st.integers(0, 6), st.integers(1, 7)), min_size=1, max_size=4))
def test_a_row_keeps_its_errors_until_it_is_written(device, written):
    """Whatever becomes of others, also of those that were written with it."""
    group = group_of(noisy_chip(read_sigma=0.0, **device))
    held, rows = group.content().copy(), np.eye(7, dtype=np.int8)
    before = product(group, rows, 0)
    for number, (first, count) in enumerate(written):
        values = np.roll(held[first : first + count], number + 1, axis=0) // (number + 1)
        group.write(first, values, Origin(Position(3, "main", 0, []), number))
        after = product(group, rows, 0)
        others = [row for row in range(7) if not first <= row < first + count]
        assert np.array_equal(before[others], after[others])
        before = after


def counted(group):
    names = "written", "verified", "rewritten", "reverified", "rows"
    return [int(group.counts[PLACE[name]]) for name in names]


def test_writes_are_counted_once_and_by_what_made_them():
    verified = {"read_sigma": 0.0, "verify_pulses": 4, "verify_tolerance": 0.1}
    group = group_of(noisy_chip(samples=2, **verified))
    held = group.content().copy()
    assert counted(group) == [0] * 5  # cells are programmed when they are read
    product(group, X, 0)
    cells, pulses, *by_program = counted(group)
    assert cells % 7 == 0 and cells < pulses < 4 * cells and by_program == [0, 0, 0]
    row = cells // 7
    product(group, X, 1)
    assert counted(group) == [cells, pulses, 0, 0, 0]
    group.write(2, held[2:4], Origin(Position(3, "main", 1, []), 5))
    product(group, X, 1)
    product(group, X, 1)
    more = counted(group)
    assert more[0] - cells == more[2] == 2 * row and more[1] - pulses == more[3] > 2 * row and 2 <= more[4] <= 8
    group.write(2, held[2:4], Origin(Position(3, "main", 1, []), 5))
    group.write(1, held[1:3], Origin(Position(3, "main", 1, []), 6))  # row 2 was not read in between
    product(group, X, 1)
    last = counted(group)
    assert last[0] - more[0] == last[2] - more[2] == 4 * row
    product(group, X, 2)  # of the next trial: all cells are others
    assert counted(group)[0] - last[0] == cells and counted(group)[2:] == last[2:]


@pytest.mark.parametrize("dtype", [DType.i8, DType.u8, DType.i16, DType.f32, DType.f16])
def test_without_anything_described_it_is_the_ideal_crossbar(dtype):
    x = np.random.default_rng(2).integers(0, 100, (30, 7))
    plain, analog = (Arch(), replace(Arch(), crossbar=replace(Arch().crossbar, kind="analog")))
    assert np.array_equal(product(group_of(analog, dtype), x, 0), product(group_of(plain, dtype), x, 0))


def test_counting_everything_changes_no_bit():
    counted, plain = group_of(noisy_chip()), group_of(noisy_chip())
    counted.watch()
    assert np.array_equal(product(counted, X, 0), product(plain, X, 0))
    assert counted.counts[-64:].sum() == counted.counts[1] > 0  # the histogram has every conversion

"""The search, with judges that say anything: the default is the first, nothing is worse, seeds and limits hold."""

from random import Random

import pytest
from draws import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx_nets import Net

from compiler.request import make_request
from compiler.search.figures import SampleFigures
from compiler.search.goals import GOALS
from compiler.search.search import CANDIDATES, EXHAUSTED, STOPPED, TIME, Search, SearchLimits, SearchObserver
from compiler.search.space import SPACE, applied, changed, free_choices, key_of
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError, EmuError, InputError

ARCH = Arch(name="chip", cores=64, core=Core(crossbars=16), crossbar=Crossbar(16, 8))
relaxed = settings(suppress_health_check=list(HealthCheck), max_examples=examples(4, 20))
ALL = {choice.name for choice in SPACE}


def request(cores=6, **other):
    net = Net([1, 4, 6, 4])
    model = net.model(net.conv(net.conv("x", 4, 6, (1, 1)), 6, 4, (3, 3)))
    return make_request(model, ARCH, cores=cores, **other)


def run(judge, *, goal="traffic", limits=None, seed=0, fixed=(), watch=None, of=None):
    limits = limits or SearchLimits(candidates=8)
    return Search(of or request(), judge, GOALS[goal], limits=limits, seed=seed, fixed=fixed, watch=watch).run()


def dice(seed, low=1):
    """A judge that draws its figures."""
    draw = Random(seed)
    return lambda programs: SampleFigures(bytes_sent=0, byte_hops=draw.randint(low, 20), latency_ps=draw.randint(1, 9))


@relaxed
@given(st.integers(0, 99), st.integers(0, 3), st.integers(1, 9))
def test_the_best_is_that_with_the_least_figure_and_the_default_if_none_is_less(luck, seed, count):
    found = run(dice(luck), seed=seed, limits=SearchLimits(candidates=count))
    assert len(found.tried) == count and found.ended == CANDIDATES
    assert [tried.number for tried in found.tried] == list(range(count)) and found.tried[0].settings == {}
    values = [found.value(tried) for tried in found.tried]
    assert found.best.number == values.index(min(values))
    assert len({key_of(tried.settings) for tried in found.tried}) == count


@relaxed
@given(st.integers(0, 9), st.integers(0, 3), st.sampled_from(sorted(GOALS.keys() - {"power", "energy", "throughput"})))
def test_a_seed_and_a_number_of_candidates_give_one_search(luck, seed, goal):
    first, again = (run(dice(luck), seed=seed, goal=goal, limits=SearchLimits(candidates=9)) for _ in range(2))
    assert [tried.settings for tried in first.tried] == [tried.settings for tried in again.tried]


@pytest.mark.parametrize("name", sorted(ALL))
def test_what_is_fixed_stays(name):
    found = run(dice(3), fixed={name}, limits=SearchLimits(candidates=examples(6, 12)))
    assert not any(name in tried.settings for tried in found.tried)


def test_a_search_among_few_choices_ends():
    found = run(dice(1), fixed=ALL - {"packing", "pipelined"}, limits=SearchLimits())
    assert found.ended == EXHAUSTED
    assert {key_of(tried.settings) for tried in found.tried} == {
        key_of({**packing, **pipelined})
        for packing in ({}, {"packing": "kernel"})
        for pipelined in ({}, {"pipelined": True})
    }


def test_nothing_is_less_than_nothing():
    found = run(lambda programs: SampleFigures(bytes_sent=0, byte_hops=0), limits=SearchLimits())
    assert (len(found.tried), found.best.number, found.ended) == (1, 0, EXHAUSTED)


def test_what_is_refused_is_told_and_the_search_goes_on():
    calls = []

    def judge(programs):
        calls.append(programs)
        if len(calls) % 2:
            raise CompileError("not today")
        return SampleFigures(bytes_sent=0, byte_hops=len(calls))

    found = run(judge)
    assert found.tried[0].reason == "not today" and found.tried[0].figures is None
    assert found.best.number == 1 and found.value(found.tried[0]) == float("inf")


def test_the_refusal_of_the_default_counts_if_all_is_refused():
    calls = []

    def judge(programs):
        calls.append(programs)
        raise CompileError(f"refused {len(calls)}")

    with pytest.raises(CompileError, match=r"^refused 1$"):
        run(judge)
    with pytest.raises(EmuError, match="core"):
        run(dice(0), of=request(1, duplicate="9,9"), fixed=ALL)


def test_a_figure_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match=r"^peak power is not known: the chip has no tables \[timing\] and \[energy\]"):
        run(dice(0), goal="power")
    with pytest.raises(InputError, match=r"^time per sample is not known: the chip has no table \[timing\]"):
        run(dice(0), goal="throughput")


def test_time_and_whoever_looks_on_end_a_search_behind_the_default():
    now = [0.0]

    def clock():
        now[0] += 1
        return now[0]

    found = run(dice(0), limits=SearchLimits(seconds=1), watch=SearchObserver(clock=clock))
    assert (len(found.tried), found.ended) == (1, TIME)
    found = run(dice(0), limits=SearchLimits(), watch=SearchObserver(stop=lambda: True))
    assert (len(found.tried), found.ended, found.best.number) == (1, STOPPED, 0)


def test_starts_are_settings_that_there_are():
    asked = request()
    free = {choice.name: values for choice, values in free_choices(asked).items()}
    for goal in GOALS.values():
        for start in goal.starts:
            assert all(value in free[name] for name, value in start.items())


@given(st.data())
def test_settings_are_what_differs_from_the_request(data):
    asked, chosen = request(), {}
    for choice, values in free_choices(asked).items():
        chosen = changed(asked, chosen, choice.name, data.draw(st.sampled_from(list(values))))
    made = applied(asked, chosen)
    for choice in SPACE:
        assert getattr(made.options, choice.name) == chosen.get(choice.name, getattr(asked.options, choice.name))
        assert choice.name not in chosen or chosen[choice.name] != getattr(asked.options, choice.name)

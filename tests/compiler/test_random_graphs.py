"""Random graphs of all operators compute what onnxruntime says, or are refused in one sentence."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import compile_in_memory, run_in_process
from random_graphs import TABLE, random_graphs

from compiler.frontend.operators import OPERATORS
from emu.arch import Arch, Core, Crossbar
from emu.errors import EmuError

relaxed = settings(suppress_health_check=list(HealthCheck))
SMALL = Arch(name="small", cores=64, core=Core(crossbars=256), crossbar=Crossbar(4, 4))
HOW = st.tuples(
    st.sampled_from([1, 3, 20]), st.sampled_from(["image", "rows:1", "rows:2"]), st.sampled_from(["step", "batch"])
)


def check(case, cores, granularity, engine):
    """Whether it compiled."""
    try:
        compiled = compile_in_memory(case.model, SMALL, cores, granularity=granularity)
    except EmuError as error:
        assert "\n" not in str(error) and len(str(error)) > 20
        return str(error)
    (found,) = run_in_process(compiled, [case.sample], engine)
    case.assert_close(found)
    return ""


def run(count):
    """Check so many random graphs; most of them must compile."""
    outcomes: Counter[bool] = Counter()

    @settings(relaxed, max_examples=count)
    @given(random_graphs(tuple(OPERATORS)), HOW)
    def one(case, how):
        outcomes[check(case, *how) == ""] += 1

    one()
    assert outcomes[True] > 0.5 * outcomes.total(), outcomes


def test_random_graphs():
    run(30)


@pytest.mark.full
@pytest.mark.timeout(7200)
def test_many_random_graphs():
    run(3000)


@pytest.mark.full
@pytest.mark.parametrize("kind", sorted(set(OPERATORS) & set(TABLE)))
def test_each_operator_by_itself(kind):
    """The table can draw it, and it is right or refused."""
    seen = list[str]()

    @settings(relaxed, max_examples=15)
    @given(random_graphs([kind]), HOW)
    def one(case, how):
        seen.extend(node.op_type for node in case.model.graph.node)
        check(case, *how)

    for _ in range(5):  # few draws of some operators make values that are of use
        one()
        if kind in seen:
            break
    assert kind in seen

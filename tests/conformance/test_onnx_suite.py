"""ONNX's own suite on core processes: a seeded tenth of the target set; with `full` all of it."""

from collections import Counter

import numpy as np
import pytest
from suite_cases import drawn, target_cases
from suite_outcomes import COMPILED_IN, IDLE
from suite_outcomes import PASSED as PASSED_BEFORE

from launch.conformance.result import EMPTY, NONE, PASSED
from launch.conformance.trial import run_trial


def is_empty(case):
    """Whether no output that the suite expects has an element."""
    return not any(np.size(output) for _, expected in case.data for output in expected)


def parameters():
    for case in target_cases():
        yield pytest.param(case, id=case.name, marks=() if case.name in drawn() else pytest.mark.full)


@pytest.mark.parametrize("case", list(parameters()))
def test_case(case, emu_zygotes, tmp_path):
    if case.missing:
        pytest.skip(case.missing)
    result = run_trial(case.trial(), tmp_path, emu_zygotes)
    wanted = EMPTY if is_empty(case) else PASSED
    assert result.outcome == wanted, f"{result.outcome}: {result.reason}"
    assert (result.inputs.kind == NONE) is (case.operator in IDLE)
    if wanted == PASSED:
        allowed = {
            node.input[place]
            for node in case.model.graph.node
            for place in COMPILED_IN.get(node.op_type, ())
            if place < len(node.input)
        }
        assert set(result.inputs.frozen) <= allowed, f"could be live before: {result.inputs.why}"


def test_as_many_cases_must_pass_as_ever_did():
    """Each of these is one that `test_case` wants to pass."""
    runnable = [case for case in target_cases() if not case.missing and not is_empty(case)]
    count = Counter(case.kind for case in runnable)
    assert not {kind: (count[kind], least) for kind, least in PASSED_BEFORE.items() if count[kind] < least}


def test_most_of_the_suite_is_the_target_set():
    """If another onnx calls things differently, nothing could be left to run, and nobody would hear of it."""
    kinds = {kind: sum(case.kind == kind for case in target_cases()) for kind in ("node", "pytorch-converted", "real")}
    assert kinds["node"] > 600 and kinds["pytorch-converted"] > 70 and kinds["real"] == 9

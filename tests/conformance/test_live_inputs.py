"""Of the inputs of a case as few are frozen as the compiler lets; the report tells how many, and why."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_cases import one_node, trial_of

from launch.conformance.prepared import PreparedModel
from launch.conformance.report import ConformanceReport
from launch.conformance.result import ALL, FIRST, NONE, PASSED, SOME, CaseInputs, ConformanceResult, fewest_frozen
from launch.conformance.trial import run_trial

NAMES = ("a", "b", "c", "d")


@given(st.sets(st.sampled_from(NAMES)), st.integers(0, 4))
def test_only_what_is_needed_is_frozen(needed, size):
    table = NAMES[:size]
    needed &= set(table)
    asked = []

    def refusal(frozen):
        asked.append(frozen)
        return "" if needed <= set(frozen) else "needs more"

    found = fewest_frozen(table, 5, refusal)
    assert set(found.frozen) == needed and bool(found.why) == bool(needed)
    assert len(asked) <= len(table) + 1


def test_how_many_are_live():
    assert [CaseInputs(3, frozen, "why").kind for frozen in ((), ("b",), ("b", "c"))] == [ALL, SOME, FIRST]


class Noted(PreparedModel):
    """Notes which inputs of what runs are frozen."""

    ran: list = []

    def run(self, values):
        Noted.ran.append(self.frozen)
        return super().run(values)


def test_weights_that_can_be_live_run_so_and_on_crossbars(emu_zygotes, tmp_path):
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    trial = trial_of(one_node("MatMul", [[2, 3], [3, 4]], [2, 4]), [a, b], [a @ b])
    Noted.ran.clear()
    result = run_trial(trial, tmp_path, emu_zygotes, Noted)
    assert result.outcome == PASSED and Noted.ran == [(), ("b",)]
    assert result.inputs == CaseInputs(2)


def test_a_wrong_answer_on_crossbars_alone_is_told(emu_zygotes, tmp_path):
    class Off(PreparedModel):
        def run(self, values):
            return {name: array + bool(self.frozen) for name, array in super().run(values).items()}

    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    trial = trial_of(one_node("MatMul", [[2, 3], [3, 4]], [2, 4]), [a, b], [a @ b])
    assert run_trial(trial, tmp_path, emu_zygotes, Off).outcome == "failed"


def test_weights_that_cannot_be_live_are_frozen_with_a_reason(emu_zygotes, tmp_path):
    x, w = np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 3, 3), np.float32)
    model = one_node("Conv", [[1, 1, 3, 3], [1, 1, 3, 3]], [1, 1, 1, 1])
    result = run_trial(trial_of(model, [x, w], [np.full((1, 1, 1, 1), 9, np.float32)]), tmp_path, emu_zygotes)
    assert result.outcome == PASSED and result.inputs.frozen == ("b",) and "holds weights" in result.inputs.why


def test_the_report_counts_them():
    why = "model 'test': node 'n' ({}) computes its axes ('a') at run time, but the compiler needs it constant"
    results = [ConformanceResult("one", "node", "Relu", PASSED, inputs=CaseInputs(1))]
    results += [
        ConformanceResult(kind, "node", kind, PASSED, inputs=CaseInputs(2, ("a",), why.format(kind)))
        for kind in ("Max", "Min")
    ]
    report = ConformanceReport(results, 1.0)
    assert f"1 with {ALL}, 2 with {FIRST}" in report.lines()
    assert "frozen 2: computes its axes at run time, but the compiler needs it constant (Max, Min)" in report.lines()
    assert report.to_dict()["inputs"] == {ALL: 1, SOME: 0, FIRST: 2, NONE: 0}


@pytest.mark.parametrize("count", [0, 1])
def test_a_report_of_one_kind_of_inputs_says_nothing_of_them(count):
    results = [ConformanceResult("one", "node", "Relu", PASSED, inputs=CaseInputs(1))] * count
    assert len(ConformanceReport(results, 1.0).lines()) == 1

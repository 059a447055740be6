"""What counts as passed, failed, refused: never what has not run, or gave something else."""

import os
import signal
from dataclasses import fields, replace

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto
from suite_cases import one_node, trial_of

from emu.errors import CompileError
from launch.campaigns.case import Case as CampaignCase
from launch.campaigns.running import CampaignRun
from launch.campaigns.starting import WarmProcesses
from launch.conformance.campaign import result_of
from launch.conformance.cases import OnnxCase
from launch.conformance.differing import difference
from launch.conformance.prepared import PreparedModel
from launch.conformance.report import ConformanceReport, reason_group
from launch.conformance.result import (
    EMPTY,
    FAILED,
    NONE,
    NOT_RUN,
    OUTCOMES,
    PASSED,
    REFUSED,
    SKIPPED,
    ConformanceResult,
)
from launch.conformance.selecting import Selection, why_not
from launch.conformance.trial import run_trial
from launch.images.checking import Refuted
from launch.supervision.errors import RunTimeout

VALUES = np.array([[-1.0, 0.0, 2.5]], np.float32)
RELU = one_node("Relu", [[1, 3]], [1, 3])
RIGHT = trial_of(RELU, [VALUES], [np.maximum(VALUES, 0)])


def fake(**methods):
    """A class in place of `PreparedModel` that has these methods instead."""
    return type("Fake", (PreparedModel,), methods)


def test_what_runs_and_is_right_has_passed(emu_zygotes, tmp_path):
    result = run_trial(RIGHT, tmp_path, emu_zygotes)
    assert (result.outcome, result.reason) == (PASSED, "") and result.seconds > 0


def test_a_case_that_has_passed_has_run_on_processes(emu_zygotes, tmp_path):
    """Its model, and so its frozen values, are compiled once; each of its data sets is a run of its own."""
    started = []

    class Counted:
        def start(self, scratch=""):
            started.append(emu_zygotes.start(scratch))
            return started[-1]

    twice = replace(RIGHT, data=[*RIGHT.data, ([VALUES * 2], [np.maximum(VALUES * 2, 0)])])
    assert run_trial(twice, tmp_path, Counted()).outcome == PASSED
    assert len(started) == 2 and all(zygote.started for zygote in started)


def test_one_wrong_data_set_of_two_fails(emu_zygotes, tmp_path):
    twice = replace(RIGHT, data=[*RIGHT.data, ([VALUES * 2], [VALUES])])
    assert run_trial(twice, tmp_path, emu_zygotes).outcome == FAILED


def test_wrong_numbers_fail(emu_zygotes, tmp_path):
    def run(self, values):
        return {name: value + 1 for name, value in PreparedModel.run(self, values).items()}

    result = run_trial(RIGHT, tmp_path, emu_zygotes, fake(run=run))
    assert result.outcome == FAILED
    assert "'y': 3 of 3 elements beyond" in result.reason and "max|diff| 1" in result.reason


def test_wrong_expectations_fail_on_cores(emu_zygotes, tmp_path):
    result = run_trial(trial_of(RELU, [VALUES], [VALUES]), tmp_path, emu_zygotes)
    assert (result.outcome, "worst at [0, 0]: 0.0, -1.0 is expected" in result.reason) == (FAILED, True)


def test_what_never_runs_cannot_pass(tmp_path):
    """Its zygotes start nothing: whatever the case is, it has not passed."""

    class NoZygotes:
        def start(self, scratch=""):
            raise RunTimeout(1, [])

    assert run_trial(RIGHT, tmp_path, NoZygotes()).outcome == FAILED


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (CompileError("no"), REFUSED),
        (RunTimeout(1, []), FAILED),
        (ZeroDivisionError("a bug"), FAILED),
        (Refuted.__new__(Refuted), FAILED),
    ],
)
def test_errors_of_the_compilation(error, outcome, tmp_path):
    def compile(self, values):
        raise error

    assert run_trial(RIGHT, tmp_path, None, fake(compile=compile)).outcome == outcome


def test_a_refusal_of_the_run_is_no_refusal_of_the_network(tmp_path):
    def run(self, values):
        raise CompileError("too late")

    assert run_trial(RIGHT, tmp_path, None, fake(run=run, compile=lambda self, values: tmp_path)).outcome == FAILED


def test_a_refused_operator_is_named(emu_zygotes, tmp_path):
    result = run_trial(
        trial_of(one_node("Det", [[2, 2]], []), [np.eye(2, dtype=np.float32)], []), tmp_path, emu_zygotes
    )
    assert result.outcome == REFUSED and "unsupported operators: Det" in result.reason


def test_nothing_to_compare_is_no_pass(emu_zygotes, tmp_path):
    empty = trial_of(one_node("Relu", [[0, 3]], [0, 3]), [VALUES[:0]], [VALUES[:0]])
    result = run_trial(empty, tmp_path, emu_zygotes)
    assert (result.outcome, result.reason) == (EMPTY, "no output has an element, so nothing is compared")
    assert run_trial(replace(empty, data=[([VALUES[:0]], [VALUES])]), tmp_path, emu_zygotes).outcome == FAILED
    assert run_trial(replace(RIGHT, data=[]), tmp_path, None).outcome == SKIPPED


@pytest.mark.parametrize(("expected", "outcome"), [([1, 3], PASSED), ([1, 4], FAILED)])
def test_what_no_value_decides_is_stored_by_a_core_and_counted_apart(emu_zygotes, tmp_path, expected, outcome):
    model = one_node("Shape", [[1, 3]], [2])
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
    result = run_trial(trial_of(model, [VALUES], [np.array(expected)]), tmp_path, emu_zygotes)
    assert (result.outcome, result.inputs.kind) == (outcome, NONE)


def test_a_case_without_expected_outputs_fails(emu_zygotes, tmp_path):
    assert run_trial(trial_of(RELU, [VALUES], []), tmp_path, emu_zygotes).outcome == FAILED


ARRAYS = st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=8).map(lambda v: np.array(v, np.float32))


@given(ARRAYS, st.floats(1e-6, 1e-1), st.floats(0, 1e-2), st.floats(0, 0.3))
def test_differences_are_those_that_the_suite_finds(want, rtol, atol, error):
    got = (want * np.float32(1 + error)).astype(np.float32)
    try:
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
        right = True
    except AssertionError:
        right = False
    assert (difference(["y"], [got], [want], rtol, atol) == "") is right


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (np.zeros(3, np.float32), np.zeros(3, np.int64), "is float32[3], int64[3] is expected"),
        (np.zeros((1, 3)), np.zeros(3), "is float64[1, 3], float64[3] is expected"),
        (np.array([np.nan]), np.array([1.0]), "max|diff| inf; worst at [0]: nan, 1.0 is expected"),
        (np.array([np.inf]), np.array([-np.inf]), "1 of 1 element beyond"),
        (np.array([True, False]), np.array([True, True]), "worst at [1]: False, True is expected"),
        (np.uint8(3), np.uint8(4), "worst at []: 3, 4 is expected"),
        (np.array([5, 100_000]), np.array([5, 100_001]), "1 of 2 elements not equal, max|diff| 1; worst at [1]"),
        (np.zeros((0, 2), np.float32), np.zeros((0, 3), np.float32), "is float32[0, 2], float32[0, 3] is expected"),
    ],
)
def test_how_outputs_differ(got, want, words):
    assert words in difference(["y"], [np.asarray(got)], [np.asarray(want)], 1e-3, 1e-7)


def test_equal_outputs_do_not_differ():
    for same in (np.array([np.nan, np.inf, 1.0]), np.array(True), np.array([-7, 3]), np.zeros((0, 3), np.int8)):
        assert difference(["y"], [same], [same], 0, 0) == ""
    assert difference(["y"], [np.float32(1000)], [np.float32(1000.5)], 1e-3, 1e-7) == ""
    assert difference([], [], [], 0, 0)


def results(*outcomes):
    return [
        ConformanceResult(f"test_{place}", "node", "Relu", outcome, "why") for place, outcome in enumerate(outcomes)
    ]


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((PASSED, REFUSED, EMPTY, SKIPPED), 0),
        ((PASSED, FAILED, NOT_RUN), 1),
        ((PASSED, NOT_RUN), 6),
        ((REFUSED,), 0),
    ],
)
def test_exit_codes(outcomes, code):
    assert ConformanceReport(results(*outcomes), 1.0).exit_code == code


def test_a_report_counts_each_case_once():
    report = ConformanceReport(results(*OUTCOMES, PASSED), 1.0)
    table = report.table()
    ones = [1] * (len(OUTCOMES) - 1)
    assert table.columns == ["operator", *OUTCOMES] and table.rows == [["Relu", 2, *ones], ["all", 2, *ones]]
    assert report.lines()[-1].startswith(
        "2 of 8 cases passed (1 hosted, 1 failed, 1 refused, 1 empty, 1 skipped, 1 not run)"
    )
    assert "FAIL  test_2: why" in report.lines()


def test_reasons_of_a_kind_are_one_group():
    first = "model 'test_abs' has unsupported operators: Abs ('y'); docs/operators.md lists those that are supported"
    second = first.replace("test_abs", "test_abs_2").replace("'y'", "'z', 'node 3'")
    assert reason_group(first) == reason_group(second) == "has unsupported operators: Abs"
    shape = "model 'a': node 'b' (Add) has an input of shape [1, 2, 3] that 'c' lacks"
    assert reason_group(shape) == "node '...' (Add) has an input of shape [...] that '...' lacks"


def case(name, model=RELU, **changes):
    known = {"kind": "node", "operators": frozenset({model.graph.node[0].op_type}), "data": [], "rtol": 0, "atol": 0}
    return OnnxCase(name=name, model=model, **{**known, **changes})


def test_a_sample_is_the_same_for_the_same_seed():
    cases = [case(f"test_{number}") for number in range(50)]
    names = [[each.name for each in Selection(sample=5, seed=seed).of(cases)] for seed in (1, 1, 2)]
    assert names[0] == names[1] != names[2] and len(names[0]) == 5
    assert len(Selection(sample=99).of(cases)) == 50


@pytest.mark.parametrize(
    ("model", "name", "words"),
    [
        (RELU, "test_relu", ""),
        (RELU, "test_relu_expanded_ver18", "replaced by its definition"),
        (one_node("Det", [[2, 2]], []), "test_det", "operator Det"),
        (one_node("BatchNormalization", [[1, 3]] + [[3]] * 4, [1, 3], training_mode=1), "test_bn", "training"),
    ],
)
def test_what_is_of_the_target_set(model, name, words):
    assert why_not(name, model, []) == words if not words else words in why_not(name, model, [])


def test_types_and_shapes_of_the_target_set():
    for change in ({"elem_type": 11}, {"shape": None}):
        model = one_node("Relu", [[1, 3]], [1, 3])
        kind = model.graph.input[0].type.tensor_type
        if "elem_type" in change:
            kind.elem_type = 11
        else:
            kind.shape.dim[0].dim_param = "n"
        assert "'a'" in why_not("test_relu", model, [])


def as_case(trial):
    """The case of a campaign that runs it."""
    given = {each.name: getattr(trial, each.name) for each in fields(trial)}
    facts = {"kind": trial.kind, "operator": trial.operator}
    return CampaignCase(trial.name, "launch.conformance.campaign:run_case", given, facts=facts)


def campaign_of(*trials, **how):
    """What comes of them, one after the other."""
    with CampaignRun([as_case(trial) for trial in trials], **how) as run:
        return list(map(result_of, run.run()))


def test_a_process_that_dies_fails_its_case_and_no_other():
    with WarmProcesses() as place:
        process = place.start(as_case(RIGHT))
        os.kill(process.pid, signal.SIGKILL)
        dead = result_of(process.result())
        alive = place.start(as_case(RIGHT))
        alive.force_end(60)
        assert result_of(alive.result()).outcome == PASSED
    assert (dead.outcome, dead.reason) == (FAILED, "ended without an answer (killed by SIGKILL)")


def test_a_case_that_takes_too_long_fails():
    (late,) = campaign_of(RIGHT, timeout=1e-6)
    assert late.outcome == FAILED and "it took longer than 1e-06 s (raise timeout" in late.reason


def test_what_a_process_says_is_what_the_case_says_here(emu_zygotes, tmp_path):
    """Its data may be of any type of the suite, and nothing of the result is lost on its way."""
    odd = [VALUES, None, [VALUES], np.float64(1), np.array(2, ml_dtypes.bfloat16), np.array(["a"], object)]
    trials = [RIGHT, replace(RIGHT, data=[]), replace(RIGHT, data=[(odd, [VALUES])]), _with_frozen()]
    told = campaign_of(*trials, jobs=2)
    for trial, found in zip(trials, told, strict=True):
        assert replace(found, seconds=0) == replace(run_trial(trial, tmp_path, emu_zygotes), seconds=0)
    assert told[-1].inputs.frozen


def _with_frozen():
    """A case with an input that is compiled in."""
    model = one_node("Reshape", [[1, 3], [2]], [3, 1])
    model.graph.input[1].type.tensor_type.elem_type = TensorProto.INT64
    return trial_of(model, [VALUES, np.array([3, 1])], [VALUES.reshape(3, 1)])


def test_nothing_is_run_after_the_deadline():
    found = campaign_of(RIGHT, RIGHT, deadline=1e-9)
    assert [(result.outcome, result.reason) for result in found] == [(NOT_RUN, "the deadline came first")] * 2

"""ONNX's own suite on core processes: a seeded tenth of the target set; with `full` all of it."""

import pytest
from suite_cases import drawn, target_cases

from launch.conformance.result import FAILED, PASSED
from launch.conformance.trial import run_trial


def parameters():
    for case in target_cases():
        yield pytest.param(case, id=case.name, marks=() if case.name in drawn() else pytest.mark.full)


@pytest.mark.parametrize("case", list(parameters()))
def test_case(case, emu_zygotes, tmp_path):
    if case.missing:
        pytest.skip(case.missing)
    result = run_trial(case.trial(), tmp_path, emu_zygotes)
    assert result.outcome != FAILED, result.reason
    if result.outcome != PASSED:
        pytest.skip(f"{result.outcome}: {result.reason}")


def test_most_of_the_suite_is_the_target_set():
    """If another onnx calls things differently, nothing could be left to run, and nobody would hear of it."""
    kinds = {kind: sum(case.kind == kind for case in target_cases()) for kind in ("node", "pytorch-converted", "real")}
    assert kinds["node"] > 600 and kinds["pytorch-converted"] > 70 and kinds["real"] == 9

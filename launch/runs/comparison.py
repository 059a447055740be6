"""Compares the results of a run with golden values and labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from launch.golden.values import Golden
from launch.golden.verdict import KEPT_SLACK, GoldenVerdict, classes, compare_all
from launch.runs.request import Job
from launch.runs.result import RunResult


def compare_outputs(job: Job, result: RunResult, golden: Golden | None) -> GoldenVerdict | None:
    """The verdict on the outputs; None if there is nothing to compare them with."""
    if golden is None:
        return None
    limits = job.tolerance, job.allow_nan
    tensors, *perturbed = (of_trials(each, job.trials) for each in (golden.tensors, *golden.perturbed))
    verdict = compare_all(result.outputs, tensors, golden.source, *limits, perturbed=perturbed)
    return replace(verdict, origin=golden.origin)


def of_trials(tensors: Mapping[str, np.ndarray], trials: int) -> Mapping[str, np.ndarray]:
    """Golden values of all trials, (trials * samples,) + shape: each trial has the same."""
    if trials == 1:
        return tensors
    return {name: np.tile(array, (trials, *([1] * (array.ndim - 1)))) for name, array in tensors.items()}


def right_answers(result: RunResult, labels: np.ndarray, trials: int = 1) -> np.ndarray:
    """bool [trials, samples]: whether the largest element of the first output is that of the label."""
    outputs = next(iter(result.outputs.values()))
    return classes(outputs).reshape(trials, len(labels)) == labels


def accuracy(result: RunResult, labels: np.ndarray | None, trials: int = 1) -> tuple[int, int] | None:
    """(right, all) of all trials."""
    if labels is None:
        return None
    right = right_answers(result, labels, trials)
    return int(np.count_nonzero(right)), right.size


def compare_kept(job: Job, result: RunResult, golden: Golden | None) -> GoldenVerdict | None:
    """The verdict on kept tensors, as far as there are golden values of them; None if there are none at all."""
    if golden is None or not golden.tensors:
        return None
    got = {name: array for name, array in result.kept.items() if name in golden.tensors}
    limits = job.tolerance, job.allow_nan, KEPT_SLACK
    verdict = compare_all(got, golden.tensors, golden.source, *limits, golden.perturbed)
    return replace(verdict, origin=golden.origin)

"""Compares the results of a run with golden values and labels."""

from __future__ import annotations

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
    verdict = compare_all(result.outputs, golden.tensors, golden.source, *limits, perturbed=golden.perturbed)
    return replace(verdict, origin=golden.origin)


def accuracy(result: RunResult, labels: np.ndarray | None) -> tuple[int, int] | None:
    """(right, all) by the largest element of the first output."""
    if labels is None:
        return None
    outputs = next(iter(result.outputs.values()))
    return int(np.count_nonzero(classes(outputs) == labels)), len(labels)


def compare_kept(job: Job, result: RunResult, golden: Golden | None) -> GoldenVerdict | None:
    """The verdict on kept tensors, as far as there are golden values of them; None if there are none at all."""
    if golden is None or not golden.tensors:
        return None
    got = {name: array for name, array in result.kept.items() if name in golden.tensors}
    limits = job.tolerance, job.allow_nan, KEPT_SLACK
    verdict = compare_all(got, golden.tensors, golden.source, *limits, golden.perturbed)
    return replace(verdict, origin=golden.origin)

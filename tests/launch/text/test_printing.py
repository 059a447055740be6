"""Outputs as lines and as lists."""

import json

import numpy as np

from launch.text.printing import SAMPLES, SMALL, output_lines, output_values


def test_one_sample_in_one_line() -> None:
    outputs = {"y": np.array([[[150, 200]]], np.int32), "f": np.array([[0.1, 2, np.nan]], np.float32)}
    assert list(output_lines(outputs)) == ["y: [[150, 200]]", "f: [0.1, 2, nan]"]


def test_many_samples_have_numbers_and_an_end() -> None:
    lines = list(output_lines({"y": np.arange(SAMPLES + 2, dtype=np.int8).reshape(-1, 1)}))
    assert lines[:2] == ["y, sample 0: [0]", "y, sample 1: [1]"]
    assert lines[SAMPLES:] == ["y: 2 more samples (--save FILE.npz stores all)"]


def test_large_arrays_are_shortened() -> None:
    large = {"y": np.zeros((1, SMALL + 1), np.float32)}
    assert "..." in next(output_lines(large))
    assert output_values(large) == {"y": {"dtype": "f32", "shape": [1, SMALL + 1], "values": None}}


def test_lists_are_json() -> None:
    outputs = {"y": np.array([[1.5, np.inf, -np.inf, np.nan]], np.float32), "b": np.array([[True]])}
    values = output_values(outputs)
    assert json.loads(json.dumps(values, allow_nan=False)) == {
        "y": {"dtype": "f32", "shape": [1, 4], "values": [[1.5, "inf", "-inf", "nan"]]},
        "b": {"dtype": "bool", "shape": [1, 1], "values": [[True]]},
    }

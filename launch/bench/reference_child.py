"""onnxruntime in its own process: `python reference_child.py MODEL FOLDER` runs once per line of standard input."""

# Imports nothing of this project: what it loads is what a user of onnxruntime loads.
from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any


def _session(model: str) -> Any:
    """A session on one thread, sequential, with default graph optimisation."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def main(model: str, folder: Path) -> None:
    """Run once and store the outputs, then once per line; answer each with a line of JSON. Without a line, end."""
    import numpy as np
    import onnxruntime

    session = _session(model)
    with np.load(folder / "inputs.npz", allow_pickle=False) as stored:
        inputs = dict(stored)
    names = [output.name for output in session.get_outputs()]
    np.savez(folder / "outputs.npz", **dict(zip(names, session.run(names, inputs), strict=True)))
    print(json.dumps({"version": onnxruntime.__version__}), flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        session.run(names, inputs)
        print(json.dumps({"seconds": time.perf_counter() - began}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

"""A worker that runs cases one after the other, with one warm process for all of them."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from launch.conformance.trial import Trial, run_trial
from launch.processes.warm_zygotes import WarmZygotes, warm_zygotes
from launch.workers.serving import serve


def run(zygotes: WarmZygotes, folder: str, trial: dict[str, Any]) -> dict[str, Any]:
    """What comes of a case, the fields of a `Trial`, as those of a `Result`; its images stand in `folder`."""
    return asdict(run_trial(Trial(**trial), Path(folder), zygotes))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of libraries, about what cases hold
    with warm_zygotes() as warm:
        serve({"run": partial(run, warm)})

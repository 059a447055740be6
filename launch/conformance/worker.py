"""A process that runs cases one after the other: `python -m launch.conformance.worker PARENT SOCKET FOLDER`.

It gets each `Trial` from the socket and answers with a `Result`; it ends when the socket does, and dies with PARENT.
"""

from __future__ import annotations

import sys
import warnings
from multiprocessing.connection import Connection
from pathlib import Path

from launch.conformance.trial import run_trial
from launch.processes.reaping import die_with
from launch.processes.warm_zygotes import warm_zygotes


def serve(connection: Connection, folder: Path) -> None:
    """Run cases, with one warm process for all of them, until nobody can ask for one any more."""
    with warm_zygotes() as zygotes:
        while True:
            try:
                trial = connection.recv()
            except EOFError:
                return
            connection.send(run_trial(trial, folder, zygotes))


if __name__ == "__main__":
    parent, descriptor, place = sys.argv[1:]
    if die_with(int(parent)):
        warnings.simplefilter("ignore")  # of libraries, about what cases hold
        serve(Connection(int(descriptor)), Path(place))

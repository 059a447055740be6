"""Runs of random programs of pimsim-nn, and what can be compared of them."""

import tempfile
from pathlib import Path

from pimsim_files import write_files
from pimsim_programs import NETWORK_NAME

from emu.errors import ProgramError
from emu.foreign.pimsim.config_keys import read_chip
from emu.foreign.pimsim.reader import read_program
from emu.timing.pimsim.setup import BUILDS, set_up


def prepared(program, chip, build="upstream"):
    """A program on a configuration with its network table, both as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        config, network = chip
        paths = write_files(Path(folder), program, config, NETWORK_NAME, network)
        return set_up(read_program(paths[0]), read_chip(paths[1]), BUILDS[build])


def outcome(run, *arguments):
    """What a run found, without the names of the executor and its order; or why it did not end."""
    try:
        found = run(*arguments)
    except ProgramError as error:
        return str(error)
    return found.finish, found.counts, found.flits

"""Runs single instructions on both engines, alone and in a loop; all must agree."""

import pytest
from core_single import MODES, execute

from emu.core.trap import CoreTrap


def outcome(*args, **kwargs):
    """The result, or the trap without its position."""
    try:
        return execute(*args, **kwargs)
    except CoreTrap as trap:
        return trap


def visible(result):
    if isinstance(result, CoreTrap):
        record = result.record
        return record.reason, record.operand, record.value, record.limit, record.instruction
    return result.tobytes()


@pytest.fixture
def go():
    def run(*args, **kwargs):
        results = [outcome(*args, engine=engine, looped=looped, **kwargs) for engine, looped in MODES]
        assert len({visible(result) for result in results}) == 1
        if isinstance(results[0], CoreTrap):
            raise results[0]
        return results[0]

    return run

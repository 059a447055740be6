"""Runs single instructions on both engines, alone and in a loop."""

import pytest
from core_single import MODES, execute


@pytest.fixture(params=MODES, ids=["step", "step-loop", "batch", "batch-loop"])
def go(request):
    engine, looped = request.param
    return lambda *args, **kwargs: execute(*args, engine=engine, looped=looped, **kwargs)

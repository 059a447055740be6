"""Programs are refused before they become larger than those of any network, all cores together."""

import pytest
from in_process import compile_in_memory

from emu.arch.read import load_arch
from emu.errors import CompileError
from launch.zoo import build


@pytest.mark.parametrize("most", [10, 60])
def test_too_many_instructions_are_refused_with_the_node(monkeypatch, most):
    monkeypatch.setattr("compiler.codegen.generate.MAX_INSTRUCTIONS", most)
    with pytest.raises(CompileError, match=r"node .+: the programs become more than \d+ instructions"):
        compile_in_memory(build("lenet5"), load_arch("default"))

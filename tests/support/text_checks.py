"""What texts make: interpreted, and compiled and run by cores, which must be the same."""

import re

import numpy as np
from in_process import compile_in_memory, run_in_process

from compiler.frontend.text.parsing import parse_text
from compiler.frontend.text.signature import signature_of
from compiler.interpreter.host.run import run_function
from emu.arch import Arch, Core, Crossbar
from emu.errors import CompileError

SMALL = Arch(name="small", cores=64, core=Core(crossbars=64), crossbar=Crossbar(8, 8))
# Random programs that are refused, with what cores do not have; anything else that is refused is a fault.
REFUSED = re.compile(
    r"line \d+: (linalg\.(generic|reduce) has a body that is no reduction: .*"
    r"|linalg\.\w+ has arith\.\w+ of i64, which the vector unit lacks: use .*"
    r"|func\.func has an argument %\w+ of f64, which cores do not have: .*)"
)


def interpreted(text, inputs):
    """Outputs by name."""
    module = parse_text(text.encode(), "program.mlir")
    signature = signature_of(module)
    made = run_function(signature.function, module.module, [inputs[name] for name in signature.inputs], module.blobs)
    return dict(zip(signature.outputs, made, strict=True))


def close(found, wanted):
    """Integers equal; floats as close as their type and another order of sums allow."""
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if wanted.dtype.kind != "f":
        np.testing.assert_array_equal(found, wanted)
        return
    relative, part = (1e-2, 1e-2) if wanted.dtype == np.float16 else (1e-4, 1e-5)
    wide = wanted.astype(np.float64)
    scale = max(1e-3, float(np.abs(wide[np.isfinite(wide)]).max(initial=0)))
    np.testing.assert_allclose(found.astype(np.float64), wide, rtol=relative, atol=part * scale)


def check(made, folder):
    """A program of `random_text`; whether it was compiled: some have what cores do not."""
    text, inputs = made
    path = folder / "program.mlir"
    path.write_text(text)
    wanted = interpreted(text, inputs)
    try:
        compiled = compile_in_memory(path, SMALL)
    except CompileError as error:
        assert REFUSED.search(str(error)), error
        return False
    (found,) = run_in_process(compiled, [inputs])
    for name, value in wanted.items():
        close(found[name], value)
    return True

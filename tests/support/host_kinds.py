"""An engine for tests: agents on this machine, each of which takes it for a processor of another kind."""

from dataclasses import dataclass

from numpy._core._multiarray_umath import __cpu_features__

from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.engine import Placed
from launch.machines.engines.local import Local
from launch.machines.engines.started import PlacedProcesses
from launch.processes.interpreter import child_environment

# Kernels of OpenBLAS, and what a processor must have for each: nobody looks whether it does.
KERNELS = {"Haswell": "FMA3", "Zen": "FMA3", "Sandybridge": "AVX", "Nehalem": "SSE42", "SkylakeX": "AVX512_SKX"}
ALIKE = (("Haswell", "SkylakeX"), ("Haswell", "Zen"))  # pairs that round alike by a way that both find


def runs(kind: str) -> bool:
    """Whether this processor has what the kernels for `kind` need."""
    return bool(__cpu_features__.get(KERNELS[kind]))


def alike() -> tuple[str, ...]:
    """Two kinds of processors that this one can be taken for and that round alike; none if there are no such."""
    return next((pair for pair in ALIKE if all(map(runs, pair))), ())


@dataclass(frozen=True)
class Kinds(Local):
    """`kinds:KIND,KIND...` of processors, as OPENBLAS_CORETYPE knows them."""

    kinds: tuple[str, ...] = ()

    @classmethod
    def parse(cls, rest: str) -> "Kinds":
        kinds = tuple(rest.split(","))
        return cls(len(kinds), kinds)

    def place(self, bootstrap: Bootstrap) -> Placed:
        commands = {
            f"{kind}-{rank}": ["env", f"OPENBLAS_CORETYPE={kind}", *bootstrap.command(rank, f"{kind}-{rank}")]
            for rank, kind in enumerate(self.kinds)
        }
        return PlacedProcesses(commands, bootstrap.line(), child_environment(computes=False))

"""An engine for tests: agents on this machine, each of which takes it for a processor of another kind."""

from dataclasses import dataclass

from launch.machines.bootstrap import Bootstrap
from launch.machines.engines.engine import Placed
from launch.machines.engines.local import Local
from launch.machines.engines.started import PlacedProcesses
from launch.processes.interpreter import child_environment


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

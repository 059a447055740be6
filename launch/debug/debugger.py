"""The state that the commands of the debugger share."""

from __future__ import annotations

from dataclasses import dataclass, field

from emu.debug.chip import SteppedChip
from emu.debug.ending import End
from emu.debug.owners import Owners
from emu.debug.session import Session
from emu.image.reader import Image
from launch.debug.golden import GoldenValues
from launch.debug.tensors import DebugTensors

EXIT_CODES = {End.FINISHED: 0, End.INCOMPLETE: 1, End.LEFT_OVER: 3, End.TRAPPED: 3, End.DEADLOCKED: 4}
TRAPPED = EXIT_CODES[End.TRAPPED]


@dataclass
class Debugger:
    """A session about an image, with its tensors and nodes by name; `over` after `quit`."""

    image: Image
    session: Session
    tensors: DebugTensors
    golden: GoldenValues
    over: bool = False
    _owners: dict[int, Owners] = field(default_factory=dict)

    @property
    def chip(self) -> SteppedChip:
        """The chip, as the session has left it."""
        return self.session.chip

    @property
    def exit_code(self) -> int:
        """The exit code of `emu launch` for the state of the chip: at its end, at a trap, or anywhere else."""
        if self.chip.ending is not None:
            return EXIT_CODES[self.chip.ending.end]
        return TRAPPED if self.chip.scheduler.traps else 0

    @property
    def nodes(self) -> list[str]:
        """The ONNX nodes that instructions come from, by core."""
        return list(dict.fromkeys(source.node for program in self.chip.programs.values() for source in program.sources))

    def owners(self, core: int) -> Owners:
        """Which tensors the bytes of `core` belong to."""
        return self._owners.setdefault(core, Owners(self.chip.programs[core]))

"""Pass `transform-interpreter`: carries out a transform script."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from compiler.offload.context import chip_of
from compiler.offload.script import script_of, without_scripts
from compiler.offload.script_files import own_script, read_script


@dataclass(frozen=True)
class TransformInterpreterPass(ModulePass):
    """Carries out the script in the file `script`, else the one in the module, else that of the product.

    That one puts each product `[m, k] x [k, n]` on crossbars by the operations of `neuro`, tile by tile. Scripts are no
    longer in the module then.
    """

    name = "transform-interpreter"
    script: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the module in place; raises CompileError with the line of the script that cannot be done."""
        chip = chip_of(ctx)
        given = read_script(Path(self.script), chip) if self.script else script_of(op)
        script = given or own_script(chip)
        script.run(op, chip)
        without_scripts(op)

"""Text of a stage with its weights beside it, as `emu compile --until STAGE --dump FOLDER` writes them."""

from dataclasses import replace

from compiler.compiling import lower
from compiler.session.context import make_context


def dump_stage(folder, request):
    """The path of the text that the last pass of the request left in `folder`."""
    lower(replace(request, dump=folder), make_context(request.arch, request.options))
    return max(folder.glob("*.mlir"))

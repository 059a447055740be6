"""Names that tests of the command line share."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from click.testing import Result

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
DIGITS = EXAMPLES / "digits_cnn.onnx"
SAMPLES = EXAMPLES / "digits_test.npz"

CAN_DRAW = all(map(find_spec, ("altair", "vl_convert")))

Emu = Callable[..., Result]

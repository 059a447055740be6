"""The command `emu`: finds its own packages, whatever else on the path is called `emu`, `compiler` or `launch`."""

import _signal  # built in, unlike `signal`
import sys

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # until the command has its own handler: no traceback

HOUSES = ("emu", "compiler", "launch")


def main() -> None:
    """Run `emu` with the arguments of the process."""
    home = sys.modules["os"].path.dirname(sys.modules["os"].path.abspath(__file__))  # the interpreter has it already
    sys.path.insert(0, home)  # before PYTHONPATH, where ROS 2, for one, has a package `launch`
    for house in HOUSES:
        __import__(house)
    sys.path.remove(home)  # what is imported from now on is found as usual
    from launch.cli import main as run

    run()


if __name__ == "__main__":
    main()

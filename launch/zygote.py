"""The zygote: a fresh process that imports everything once, forks memory node and cores, and kills them at the end.

`python -m launch.zygote` reads its orders from standard input, which stays open as long as the launcher lives.
"""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Serve one run; returns when the launcher is gone or wants no more."""
    gc.disable()  # what is imported stays: looking for garbage in it takes a tenth of the time of all imports
    from launch.forking import serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())

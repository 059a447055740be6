"""What the first run of a process makes, and all later ones find: imported by who forks zygotes, each inherits it."""

import emu.core.crossbars.kinds.ideal  # noqa: F401  # the usual kind, which cores import when they make their crossbars
import launch.processes.core
import launch.processes.forking  # noqa: F401
from emu.core.products.probe import settle

settle()

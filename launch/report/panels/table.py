"""The panels of the report, in the order of the page; a new one is a file and a row."""

from __future__ import annotations

from launch.report.panels.analog import ANALOG
from launch.report.panels.chip import CHIP
from launch.report.panels.chips import CHIPS
from launch.report.panels.cores import CORES
from launch.report.panels.energy import ENERGY
from launch.report.panels.hosts import HOSTS
from launch.report.panels.instructions import INSTRUCTIONS
from launch.report.panels.network import NETWORK
from launch.report.panels.nodes import NODES
from launch.report.panels.panel import Panel
from launch.report.panels.path import PATH
from launch.report.panels.tensors import TENSORS
from launch.report.panels.timeline import TIMELINE
from launch.report.panels.traffic import TRAFFIC
from launch.report.panels.wear import WEAR

PANELS: tuple[Panel, ...] = (
    CHIP,
    CHIPS,
    HOSTS,
    NETWORK,
    TIMELINE,
    NODES,
    TRAFFIC,
    INSTRUCTIONS,
    PATH,
    ENERGY,
    ANALOG,
    WEAR,
    CORES,
    TENSORS,
)

"""What an agent needs, imported and found out once by whoever forks agents, or what they fork."""

import launch.machines.agent
import launch.machines.joining
import launch.processes.fork_here
import launch.processes.ready
import launch.processes.warm_zygotes  # noqa: F401
from launch.machines.agreement import own_bits
from launch.system.memory import give_back

own_bits()
give_back()

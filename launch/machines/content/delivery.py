"""Gives all hosts of a run their part of the image, to all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from emu.image.reader import Image
from launch.machines.content.parts import ImageFile, files_for
from launch.machines.content.sender import ImageSender
from launch.machines.link.talks import AgentLink, talk_to_all
from launch.system.memory import keep_memory


@dataclass(frozen=True, slots=True)
class HostPart:
    """Which part of a run an agent has: its cores, and whether the memory node."""

    agent: AgentLink
    cores: frozenset[int]
    memory_node: bool = False


_numbers = count()  # of the images of this launcher: what an agent still says of one is not about the next


def deliver(image: Image, parts: Sequence[HostPart], pump: Callable[[], None], *, shared: bool = False) -> list[str]:
    """The path of `image`, which has been verified, on the host of each part, once all have what they need.

    Everything else is as in `deliver_files`.
    """
    wanted = [(part.agent, files_for(image, part.cores, part.memory_node)) for part in parts]
    return deliver_files(image.path, wanted, pump, shared=shared)


def deliver_files(
    directory: Path,
    wanted: Sequence[tuple[AgentLink, Sequence[ImageFile]]],
    pump: Callable[[], None],
    *,
    shared: bool = False,
) -> list[str]:
    """For each agent the path of a folder on its host with the files of `directory` that it wants.

    It is there until the agent gets another one. `pump` is as in `talk_to_all`. With `shared` the files are at the same
    path on all hosts. Raises EmuErrors for a host that cannot take its files.
    """
    keep_memory()  # for pieces, one after the other
    number = next(_numbers)
    with ExitStack() as stack:

        def sender(agent: AgentLink, files: Sequence[ImageFile]) -> ImageSender:
            one = ImageSender(agent.name, directory, files, agent.send, image=number, shared=shared)
            return stack.enter_context(one)

        senders = [(agent, sender(agent, files)) for agent, files in wanted]
        talk_to_all(senders, pump)
        return [sender.place for _, sender in senders]

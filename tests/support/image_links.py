"""Hosts that images travel to, without a network: messages stand in lists until a test lets them through."""

from __future__ import annotations

import hashlib
import os
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from emu.image.manifest import FileDigest
from launch.machines.content.messages import PIECE, TO_AGENT, TO_LAUNCHER
from launch.machines.content.parts import ImageFile
from launch.machines.content.receiver import ImageReceiver
from launch.machines.content.sender import ImageSender
from launch.machines.content.store import ContentStore

Message = tuple[str, dict[str, Any]]


class StandInHost:
    """The launcher's handle of an agent with an `ImageReceiver`, both in this process; `down` and `up` hold messages.

    `change` makes of a message to the agent those that reach it.
    """

    def __init__(self, name: str, store: Callable[[], ContentStore] = ContentStore) -> None:
        self.name = name
        self.down, self.up = deque[Message](), deque[Message]()
        self.change: Callable[[Message], list[Message]] = lambda message: [message]
        self.handlers: dict[str, Callable[..., None]] = {}
        self.receiver = ImageReceiver(lambda kind, **values: self.up.append((kind, values)), store)

    def send(self, kind: str, **values: Any) -> None:
        self.down += self.change((kind, values))

    def on(self, kind: str, handler: Callable[..., None]) -> None:
        self.handlers[kind] = handler

    def move(self) -> bool:
        """Let one message through each way, and do the work that there is; whether there was anything."""
        moved = self.receiver.busy
        self.receiver.work()
        for kind, values in [self.down.popleft()] if self.down else ():
            moved = True
            if kind in TO_AGENT:
                self.receiver.take(kind, **values)
        for kind, values in [self.up.popleft()] if self.up else ():
            moved = True
            self.handlers[kind](**values)
        return moved

    def answers_go_to(self, sender: ImageSender) -> None:
        for kind in TO_LAUNCHER:
            self.on(kind, partial(sender.take, kind))


class DamagingSender(ImageSender):
    """Some hosts get other bytes each time."""

    most = 1 << 30  # pieces

    def __init__(self, host: str, directory: Path, files: object, send: Callable[..., None], **options: object) -> None:
        left = self.most

        def damaged(kind: str, **values: object) -> None:
            nonlocal left
            if kind == PIECE and host in ("h1", "local-0") and left:
                left -= 1
                values["data"] = os.urandom(len(values["data"]))
            send(kind, **values)

        super().__init__(host, directory, files, damaged, **options)


class OnceDamagingSender(DamagingSender):
    """The first piece is another one."""

    most = 1


def hosts(stack: ExitStack, *names: str, store: Callable[[], ContentStore]) -> list[StandInHost]:
    """Such hosts, which are closed with `stack`."""
    made = [StandInHost(name, store) for name in names]
    for host in made:
        stack.enter_context(host.receiver)
    return made


def written(folder: Path, contents: Mapping[str, bytes]) -> list[ImageFile]:
    """Files with these contents in `folder`, as an image lists them."""
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [ImageFile(name, digest_of(content)) for name, content in contents.items()]


def digest_of(content: bytes) -> FileDigest:
    return FileDigest(hashlib.sha256(content).hexdigest(), len(content))


def sent(host: StandInHost, folder: Path, files: list[ImageFile], **options: Any) -> ImageSender:
    """What has sent these files to `host`, all that there is to say having been said."""
    with ImageSender(host.name, folder, files, host.send, **options) as sender:
        sender.start()
        host.answers_go_to(sender)
        while host.move():
            pass
        return sender


def content(place: str | Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(Path(place).iterdir())}

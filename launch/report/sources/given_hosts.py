"""Which cores of a run stood on which of several hosts, and what crossed between them, as the file of the run tells."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from launch.report.sources.given_run import GivenRun

Count = Annotated[int, msgspec.Meta(ge=0)]


class HeldCores(msgspec.Struct):
    """The cores of a host."""

    host: str
    cores: list[Count]


class HostPair(msgspec.Struct, rename={"sender": "from", "receiver": "to"}):
    """What goes from one host to another in a sample."""

    sender: str
    receiver: str
    messages: Count
    bytes: Count


class GivenHosts(msgspec.Struct):
    """The `hosts` of a run, as docs/json.md has them."""

    messages: Count
    bytes: Count
    of_each: list[HeldCores]
    pairs: list[HostPair]


def host_values(run: GivenRun | None) -> dict[str, Any] | None:
    """The hosts that had cores, and what crossed; None of a run on one machine, or whose file does not tell."""
    try:
        found = msgspec.convert(run.values["hosts"] if run else None, GivenHosts)
    except (KeyError, msgspec.ValidationError):
        return None
    values: dict[str, Any] = msgspec.to_builtins(found)
    held = [{**each, "count": len(each["cores"])} for each in values["of_each"] if each["cores"]]
    return {**values, "of_each": held}

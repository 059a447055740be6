"""The name under which a member of a run speaks: a routing identity that nobody can make who lacks the run's token."""

from __future__ import annotations

import hmac

DIGEST = 16  # bytes; with the first byte a name is so short that ZeroMQ stores it inside of its messages


def identity_of(token: bytes, member: int) -> bytes:
    """The routing identity of core `member` (or HOST) in the run that has `token`.

    Every connection begins with it, so one that is made anew is known from its beginning.
    """
    return b"\x01" + hmac.digest(token, b"%d" % member, "sha256")[:DIGEST]  # names that begin with 0 are ZeroMQ's own

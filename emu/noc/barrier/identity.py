"""The name under which a member of a run speaks: a routing identity that nobody can make who lacks the run's token."""

from __future__ import annotations

import hashlib

DIGEST = 16  # bytes; with the first byte a name is so short that ZeroMQ stores it inside of its messages


def identity_of(token: bytes, member: int) -> bytes:
    """The routing identity of core `member` (or HOST) in the run that has `token`.

    Every connection begins with it, so one that is made anew is known from its beginning.
    """
    # BLAKE2 is Python's own: the first use of OpenSSL costs each fork half a millisecond.
    digest = hashlib.blake2b(b"%d" % member, digest_size=DIGEST, key=token).digest()
    return b"\x01" + digest  # names that begin with 0 are ZeroMQ's own

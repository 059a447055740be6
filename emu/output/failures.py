"""Sentences for files that cannot be written."""

from __future__ import annotations

import errno
from pathlib import Path

from emu.errors import InputError

_ADVICE = {
    errno.ENOSPC: "free some, or write to another disk",
    errno.EDQUOT: "your quota is used up: free some, or write to another disk",
    errno.EFBIG: "the limit of file sizes is reached: raise it with ulimit -f, or write to another disk",
    errno.EROFS: "name a place that can be written",
    errno.EACCES: "change the permissions, or name another place",
    errno.EPERM: "change the permissions, or name another place",
    errno.ENAMETOOLONG: "name it shorter",
    errno.ENOENT: "nothing can be made there: name another place",
    errno.ENOTDIR: "a part of the path is a file: name another place",
    errno.ELOOP: "its links lead in a circle: name another place",
    errno.EBUSY: "it is in use, or something is mounted there: name another place",
}


def cannot_write(path: Path, error: OSError) -> InputError:
    """The sentence for `error` of writing `path`, with what to do where that is known."""
    why = error.strerror or str(error) or type(error).__name__
    advice = _ADVICE.get(error.errno or 0)
    return InputError(f"{path}: cannot be written: {why}{f'; {advice}' if advice else ''}")

"""What a launcher and an agent say to each other about an image; each message is a kind and plain values by name.

| kind | from | values |
|---|---|---|
| OFFER | launcher | `image`: a number; `files`: [name, size, SHA-256] each; `shared`: the path where they are, or "" |
| WANT | agent | `image`; `parts`: [SHA-256, first byte, end] each, in the order in which they are sent |
| CREDIT | agent | `image`; `pieces`: so many more may be sent |
| PIECE | launcher | `image`, `sha256`, `offset`, `data` |
| HAVE | agent | `image`; `place`: the path of the directory where it is whole |
| REFUSED | agent | `image`, `sentence`; `damaged`: whether it is the way that damages what is sent |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

OFFER, PIECE = "OFFER", "PIECE"  # of the launcher
WANT, CREDIT, HAVE, REFUSED = "WANT", "CREDIT", "HAVE", "REFUSED"  # of the agent
TO_AGENT, TO_LAUNCHER = (OFFER, PIECE), (WANT, CREDIT, HAVE, REFUSED)

PIECE_BYTES = 1 << 20  # of a file at once; the last piece of a file is shorter
WINDOW = 8  # pieces on the way at once

Send = Callable[..., None]  # the kind, and values by name
Values = Mapping[str, Any]

"""Settings of the C library's allocator for core processes: freed memory is kept for the next message or array."""

from __future__ import annotations

# By default glibc gives large blocks back to the system and maps them anew, each page a fault. `mallopt` names
# them M_MMAP_THRESHOLD (its largest value) and M_TRIM_THRESHOLD; other C libraries do not look at them.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(128 << 20)}

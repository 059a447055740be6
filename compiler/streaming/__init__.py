"""Streaming: every core passes some rows of a tensor at a time, or all, in one total order of all cores."""

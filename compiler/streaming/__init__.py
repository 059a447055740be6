"""Streaming: every core passes some rows of an image at a time, in one total order of all cores."""

"""Kinds of crossbars, as `crossbar.kind` of a chip names them: one module each, whose `make` makes an array group."""

"""Optimised compilations: the compiler's search, judged by emu time."""

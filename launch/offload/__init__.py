"""Host programs that run with a device: their contractions on crossbars, the rest in the interpreter."""

"""The machine: what a chip, a program and a core are, how a core executes, how cores talk."""

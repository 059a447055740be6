"""One core: memory, crossbars, vector unit and two engines; does no I/O."""

"""Time and energy of PIM-ISA programs by the rules of the simulator pimsim-nn, to the picosecond."""

"""PIM-ISA (arXiv 2308.06449): programs of PIMCOMP-NN, RAPTOR and pimsim-nn, read, timed, run and written."""

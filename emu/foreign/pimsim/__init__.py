"""PIM-ISA programs as PIMCOMP-NN and RAPTOR write them and pimsim-nn times them (arXiv 2308.06449)."""

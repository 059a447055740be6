"""Programs that other people's compilers wrote: one package per format, which reads it into columns."""

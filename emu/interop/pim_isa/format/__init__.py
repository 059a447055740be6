"""PIM-ISA programs and the chips that they are for as files: read into columns, and checked."""

"""What programs will send each other, and which links of a mesh it crosses."""

"""What programs will send each other, and which links of a mesh this crosses."""

"""What all papers have in common: what runs for a figure, how it stands beside what is published, how it is told."""

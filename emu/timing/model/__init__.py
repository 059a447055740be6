"""What a cost model says of the instructions of a section: times as arrays, and integer counts of actions."""

"""What figures about schedules have in common: cases of networks and of host programs, their rows, their picture."""

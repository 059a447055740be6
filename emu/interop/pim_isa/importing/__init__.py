"""Foreign programs as programs of this machine: their meaning found out, then written in our instructions."""

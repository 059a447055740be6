"""The control link between a launcher and its agents: numbered messages that a cut neither loses nor doubles, beats."""

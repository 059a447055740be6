"""The processes of a run on this machine: orders to the zygote, its forks, and the work of each until it is killed."""

"""The processes of a chip on this machine: orders to the zygote, its forks, and what each does until it is killed."""

"""What a compiled directory, its run and its simulated time have to show: one report in many forms."""

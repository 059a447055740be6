"""Many validations in one command: suite files, cases as processes, and the reports of all of them."""

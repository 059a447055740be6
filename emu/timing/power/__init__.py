"""The most power that is drawn at one time, and how many crossbars work then."""

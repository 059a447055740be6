"""Time and energy for people: one module per kind of subject, and the tables that all of them print."""

"""A device that a program calls: crossbars that are acquired, written and multiplied by while it runs."""

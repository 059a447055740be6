"""How the product writes files: whole or not at all, never over something that is not a file, and without remains."""

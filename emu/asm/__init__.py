"""Assembly text of programs and whole program sets, in both directions (syntax: `docs/assembly.md`)."""

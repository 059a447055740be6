"""What papers publish of schedules, made again with compiled programs: docs/schedules.md."""

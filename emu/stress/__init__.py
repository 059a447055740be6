"""Stress tests of communication: program sets that exchange verified messages after the field's traffic patterns."""

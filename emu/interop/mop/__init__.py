"""Meta-operator flows, to which CIM-MLC schedules networks: parsed, checked, lowered to programs (docs/mop.md)."""

"""Meta-operator flows: the text that CIM-MLC schedules networks to, parsed, checked and executed (docs/mop.md)."""

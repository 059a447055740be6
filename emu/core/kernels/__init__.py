"""What instructions compute: functions over NumPy views with any leading iteration shape, shared by both engines."""

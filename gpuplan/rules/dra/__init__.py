"""Rules about claims on devices (Dynamic Resource Allocation)."""

"""Rules about topology levels."""

"""Rules about maintenance windows: when changes may reach the nodes."""

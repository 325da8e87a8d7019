"""Rules about what Kueue makes of the spec: flavors, fallback, topology, admission."""

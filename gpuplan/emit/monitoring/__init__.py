"""Everything that Prometheus computes: recorded series, alerts, and their tests."""

"""The rendered alerts, judged by Prometheus' own tool: `fleet.yaml` is the fleet, the other files are promtool's tests."""

"""The acceptance checklist: does a cluster do what its spec says?

```
Fleet, cluster ─probes→ what to ask ─collect(live)→ Observed ─judge(Fleet, manifests)→ Report
```
Looking and judging are apart: `Observed` is plain data that can be kept in a file and judged again, elsewhere or later. Looking
only reads: lists, dry runs that keep nothing, and questions to Prometheus and Alertmanager.
"""

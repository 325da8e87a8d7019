"""`gpuplan verify` on a good cluster, and on the same cluster with one thing or everything broken."""

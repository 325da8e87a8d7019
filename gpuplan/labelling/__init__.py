"""Labels and taints on live nodes, for teams without NFD or a provisioner: which nodes, what changes, and how it is done.

Only what gpuplan itself has put on a node is ever taken away again.
"""

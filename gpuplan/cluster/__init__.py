"""The only door to servers: a cluster's API server, and a Prometheus or what speaks its API.

What comes back is data, with what a server refuses or leaves out as data too; nothing here prints, and no secret leaves.
"""

"""Idle work: what is seen of it, what is decided, and the steps by which it is told and suspended.

All but `looking` only computes: what is seen is data, and so are the steps. `cluster` asks the servers and takes the steps.
"""

"""Drills: a node is drained, or made to look broken, on purpose, to see whether the fleet does what it promises.

What a drill changes it takes back, also where it was killed.
"""

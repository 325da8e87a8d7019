"""Showback: what teams, pools and cost centres held in a stretch of time, and what it is worth.

Only computing: what to ask a Prometheus is text, and what came back is numbers. `cluster` asks, `report` draws.
"""

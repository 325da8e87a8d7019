"""Days in the life of a fleet: what exporters say, minute by minute, and which alerts that must raise.

The exporters are synthetic and speak the formats of the real ones, odd cases included (`exporters.py`). A real Prometheus
scrapes them by the monitors that we render (`scraping.py`), which tells the labels under which each series is stored; the
rule engine then goes through the whole day with the rules that we render, by a clock of its own (`promtool test rules`).
"""

"""Alertmanager's own tool over the configuration that we render."""

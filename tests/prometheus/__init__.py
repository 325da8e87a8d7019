"""Tests against real servers of Prometheus' API."""

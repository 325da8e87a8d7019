"""Tests of the arithmetic of bills."""

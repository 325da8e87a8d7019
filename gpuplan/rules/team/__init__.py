"""Rules about teams."""

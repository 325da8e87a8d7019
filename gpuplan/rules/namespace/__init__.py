"""Rules about the namespaces of teams."""

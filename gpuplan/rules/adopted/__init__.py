"""Rules about Kueue's objects and priority classes that stay as they were."""

"""Rules that weigh quotas and work against nodes."""

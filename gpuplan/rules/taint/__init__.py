"""Rules about the taints of pools."""

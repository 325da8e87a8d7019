"""What nodes have and offer: labels, taints, drivers, profiles of the device plugin, MIG layouts, the operator's settings."""

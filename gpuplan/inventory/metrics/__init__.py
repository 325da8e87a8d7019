"""What is measured: counters that are exported, who scrapes them, and what the expressions of Prometheus read of them."""

"""Who asks for cards and who may have them: workloads, queues, quotas, and whether there is enough behind them."""

"""Rules about queues and the work that goes into them."""

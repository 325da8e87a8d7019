"""The resolved model: joins, quota arithmetic, and the worst case of floors."""

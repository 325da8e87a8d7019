"""The resolved fleet: frozen, nothing optional, no name left to look up.

`pools` holds the hardware side and the joins that everybody calls (`produced_resources`, `node_labels`, `tolerations`),
`flavors` what Kueue counts as one kind of hardware, `queues` the task pools and teams, `quota_tree` Kueue's arithmetic,
`fleet` the whole.
"""

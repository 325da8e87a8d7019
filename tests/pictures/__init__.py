"""Pictures of the dashboards, drawn from a real Prometheus that holds one made-up day of the example fleet.

`python -m tests.pictures` makes the day (`day`), what exporters would have said of it (`cards`, `kube`, `queues`,
`business`), writes it into a Prometheus and lets it evaluate our rendered rules (`server`), asks what each panel asks, and
draws the answers in the dashboard's grid (`draw`, `shapes`) into `docs/dashboards/`. With `--check` it only tells which pictures no
longer show their dashboard. Nothing of it is random: the same fleet gives the same day.
"""

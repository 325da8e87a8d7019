"""Rules about what people monitor their cards with: rules of Prometheus, lists of counters, scrapes and the exporter."""

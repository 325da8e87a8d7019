"""Rules about node pools and the labels by which they are found."""

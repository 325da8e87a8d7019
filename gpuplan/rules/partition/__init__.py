"""Rules about the partitions of AMD's cards."""

"""Rules about HAMi, which shares cards in the place of the device plugin."""

"""What things cost, as ratios within one run: `make bench`."""

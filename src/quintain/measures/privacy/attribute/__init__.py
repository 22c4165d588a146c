"""Privacy against attribute inference: whose hidden values attackers find out."""

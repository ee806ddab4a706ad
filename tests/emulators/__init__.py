"""Servers of the world outside, spoken to over loopback: a package for each."""

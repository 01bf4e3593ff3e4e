"""Experiments on simulations."""

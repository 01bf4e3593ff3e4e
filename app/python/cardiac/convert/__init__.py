"""Inputs of other programs as inputs of this one."""

#!/usr/bin/env python3
"""Prints a table of three percentages with one decimal that add up to 100, and a target of the first one:
standardised in single precision, each follows from the others but for rounding (docs/how_it_works.md)."""
import random

random.seed(1)
print("a,b,c,y")
for _ in range(100000):
    a = random.randrange(1001)
    b = random.randrange(1001 - a)
    print(f"{a / 10},{b / 10},{(1000 - a - b) / 10},{a / 100 + random.gauss(0, 2)}")

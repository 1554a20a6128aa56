// Nothing: it gives the target of the tests' precompiled headers a source.

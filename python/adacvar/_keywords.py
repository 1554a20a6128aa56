"""Constructors whose keywords, defaults and help come from the engine's list of options."""

from ._adacvar import options


def _parameter_lines(entries):
    for name, entry in entries.items():
        allowed = entry["range"] and f"; in {entry['range']}"
        if entry["choices"]:
            allowed = "; one of: " + ", ".join(entry["choices"])
        yield f"    {name}: {entry['help']}{allowed}"


def keywords(of, renamed=None, without=()):
    """The options of the list `of` by the names that Python gives them."""
    renamed = renamed or {}
    return {
        renamed.get(entry["name"], entry["name"]): entry
        for entry in options(of)
        if entry["name"] not in without
    }


def entry(default, help_text, type_name):
    """An option that only Python has."""
    return {"default": default, "help": help_text, "type": type_name, "range": "", "choices": ()}


def add_constructor(cls, entries, first=()):
    """Gives `cls` an __init__ that stores its arguments, as scikit-learn wants it, and their help.

    `first`: names of positional arguments without a default, with their help.
    """
    first = dict(first)
    arguments = [*first, "*", *(f"{name}={e['default']!r}" for name, e in entries.items())]
    names = [*first, *entries]
    body = "\n".join(f"    self.{name} = {name}" for name in names)
    scope = {}
    exec(f"def __init__(self, {', '.join(arguments)}):\n{body}", scope)  # as dataclasses does
    init = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    init.__module__ = cls.__module__
    cls.__init__ = init
    lines = [f"    {name}: {text}" for name, text in first.items()]
    lines += _parameter_lines(entries)
    cls.__doc__ = cls.__doc__.rstrip() + "\n\nParameters:\n" + "\n".join(lines) + "\n"
    cls._keywords = tuple(entries)
    return cls

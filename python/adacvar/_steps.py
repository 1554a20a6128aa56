"""A record of what a batch sampler did, for states that are older than the moment they are saved."""

import collections

import torch


class Step:
    """What was done, and after it the next step.

    `what`: "epoch" (one began), "draw" (of a batch), or the number of a batch and its losses.
    """

    __slots__ = ("what", "next")

    def __init__(self, what, next=None):
        self.what = what
        self.next = next

    @property
    def is_observation(self):
        return isinstance(self.what, tuple)


def steps_after(step):
    """The steps that came after this one, while they come."""
    while step.next is not None:
        step = step.next
        yield step


class Later:
    """What was done since a state was taken, up to the moment when this is pickled or copied.

    Loaders with workers take the state of their sampler when they ask for a batch, and save it when
    they have yielded it: the losses that come in between must not be lost. What is pickled are plain
    values, which torch.load(weights_only=True) reads.
    """

    def __init__(self, step):
        self._step = step

    def values(self):
        return [_plain(step.what) for step in steps_after(self._step)]

    def __len__(self):
        return sum(1 for _ in steps_after(self._step))

    def __reduce__(self):
        return collections.OrderedDict, (list(enumerate(self.values())),)


def _plain(what):
    return (what[0], torch.from_numpy(what[1])) if isinstance(what, tuple) else what


def linked(plain):
    """The first of new steps, one for each value of `Later`, after one that stands for none."""
    first = last = Step(None)
    for each in plain:
        what = (int(each[0]), each[1].numpy()) if isinstance(each, tuple) else each
        last.next = Step(what)
        last = last.next
    return first

"""independent_solver.py PROGRAM: the exact solver against scipy on small problems.

For each of the seven losses, a table of 24 rows and 2 features: least (1 - gamma) CVaR + gamma mean,
least CVaR under a mean budget and least mean under a CVaR limit, by `train --algorithm exact` and by
scipy on the epigraph form (linprog for piecewise linear losses, SLSQP for smooth ones). Values must
agree to 1e-4, and no bound of the program may exceed a value that scipy attained but for the
rounding of features to single precision. Exit code 77
(ctest: skipped) where there is no scipy.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    from scipy.optimize import linprog, minimize
except ImportError:
    print('no scipy: skipped')
    sys.exit(77)

PROGRAM = ''
ALPHA = 0.25
ROWS = 24
LOSSES = ('squared', 'huber', 'absolute', 'pinball', 'logistic', 'softmax', 'hinge')


def table(loss):
    """Features with an intercept, and targets: numbers, or classes from 0."""
    rng = np.random.default_rng(LOSSES.index(loss))
    x = np.round(rng.normal(size=(ROWS, 2)), 3)
    score = x @ [1.0, -0.5] + rng.standard_t(3, size=ROWS)
    if loss in ('logistic', 'hinge'):
        y = (score > 0).astype(float)
    elif loss == 'softmax':
        y = np.digitize(score, [-0.7, 0.7]).astype(float)
    else:
        y = np.round(score, 3)
    return np.column_stack([x, np.ones(ROWS)]), y


def losses_of(loss, x, y, theta):
    if loss == 'softmax':
        scores = x @ theta.reshape(3, 3)
        largest = scores.max(axis=1)
        norm = largest + np.log(np.exp(scores - largest[:, None]).sum(axis=1))
        return norm - scores[np.arange(ROWS), y.astype(int)]
    score = x @ theta
    if loss in ('logistic', 'hinge'):
        margin = np.where(y > 0.5, score, -score)
        return np.logaddexp(0, -margin) if loss == 'logistic' else np.maximum(0, 1 - margin)
    off = score - y
    if loss == 'squared':
        return off**2
    if loss == 'huber':
        size = np.abs(off)
        return np.where(size <= 1, off**2 / 2, size - 0.5)
    return np.abs(off) if loss == 'absolute' else np.maximum(0.7 * -off, 0.3 * off)


def pieces_of(loss, y):
    """Slopes and offsets of the two linear pieces of each row's loss in its score."""
    if loss == 'hinge':
        sign = np.where(y > 0.5, 1.0, -1.0)
        return (-sign, np.ones(ROWS)), (np.zeros(ROWS), np.zeros(ROWS))
    above, below = (0.3, 0.7) if loss == 'pinball' else (1.0, 1.0)
    return (np.full(ROWS, above), -above * y), (np.full(ROWS, -below), below * y)


def mean_and_cvar(losses):
    worst = np.sort(losses)[::-1]
    return losses.mean(), worst[:int(ALPHA * ROWS)].mean()


def solve_linear(loss, x, y, weights, limit):
    """Variables theta, level, loss and excess of each row; weights of mean and CVaR; limit likewise."""
    width = x.shape[1]
    size = width + 1 + 2 * ROWS
    mean = np.zeros(size)
    mean[width + 1:width + 1 + ROWS] = 1 / ROWS
    tail = np.zeros(size)
    tail[width] = 1
    tail[width + 1 + ROWS:] = 1 / (ALPHA * ROWS)
    a, b = [], []
    for i in range(ROWS):
        for slope, offset in pieces_of(loss, y):
            row = np.zeros(size)
            row[:width] = slope[i] * x[i]
            row[width + 1 + i] = -1
            a.append(row)
            b.append(-offset[i])
        row = np.zeros(size)
        row[width + 1 + i], row[width], row[width + 1 + ROWS + i] = 1, -1, -1
        a.append(row)
        b.append(0)
    if limit:
        a.append(mean if limit[0] == 'mean' else tail)
        b.append(limit[1])
    bounds = [(None, None)] * (width + 1) + [(0, None)] * (2 * ROWS)
    found = linprog(weights[0] * mean + weights[1] * tail, a, b, bounds=bounds, method='highs')
    assert found.status == 0, found.message
    return found.x[:width]


def solve_smooth(loss, x, y, weights, limit):
    """Variables theta, level and excess of each row."""
    width = 9 if loss == 'softmax' else 3

    def parts(v):
        losses = losses_of(loss, x, y, v[:width])
        return losses.mean(), v[width] + v[width + 1:].sum() / (ALPHA * ROWS)

    def value(v):
        mean, tail = parts(v)
        return weights[0] * mean + weights[1] * tail

    constraints = [{'type': 'ineq', 'fun': lambda v: v[width + 1:] - losses_of(loss, x, y, v[:width]) + v[width]}]
    if limit:
        which = 0 if limit[0] == 'mean' else 1
        constraints.append({'type': 'ineq', 'fun': lambda v: limit[1] - parts(v)[which]})
    start = np.zeros(width + 1 + ROWS)
    losses = losses_of(loss, x, y, start[:width])
    start[width + 1:] = losses + 0.1
    bounds = [(-30, 30)] * width + [(None, None)] + [(0, None)] * ROWS
    found = minimize(value, start, method='SLSQP', bounds=bounds, constraints=constraints,
                     options={'maxiter': 1000, 'ftol': 1e-12})
    return found.x[:width]


def solve(loss, weights, limit=None):
    x, y = table(loss)
    by = solve_linear if loss in ('absolute', 'pinball', 'hinge') else solve_smooth
    return mean_and_cvar(losses_of(loss, x, y, by(loss, x, y, weights, limit)))


class IndependentSolver(unittest.TestCase):
    def run_exact(self, loss, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'table.csv')
            x, y = table(loss)
            with open(path, 'w', encoding='utf-8') as out:
                out.write('a,b,y\n')
                for row, target in zip(x, y):
                    name = 'klm'[int(target)] if loss in ('logistic', 'softmax', 'hinge') else repr(target)
                    out.write(f'{row[0]!r},{row[1]!r},{name}\n')
            more = ['--tau', '0.7'] if loss == 'pinball' else []
            # Huber's delta is in standardised units.
            if loss == 'huber':
                more = ['--delta', repr(1 / y.std())]
            result = subprocess.run(
                [PROGRAM, 'train', path, '--target', 'y', '--task',
                 {'softmax': 'multiclass', 'logistic': 'binary', 'hinge': 'binary'}.get(loss, 'regression'),
                 '--loss', loss, '--algorithm', 'exact', '--alpha', str(ALPHA), '--split', '1,0,0',
                 '--tolerance', '1e-7', '--json', '--quiet', *more, *options],
                capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)

    def expect(self, ours, scipy_value):
        upper = ours['certificate']['upper']
        self.assertLessEqual(upper, scipy_value * (1 + 1e-4))
        self.assertGreaterEqual(upper, scipy_value * (1 - 1e-4))
        self.assertLessEqual(ours['certificate']['lower'], scipy_value * (1 + 1e-6))

    def test_any_weight_of_the_mean(self):
        for loss in LOSSES:
            for gamma in (0.0, 0.4, 1.0):
                with self.subTest(loss=loss, gamma=gamma):
                    mean, tail = solve(loss, (gamma, 1 - gamma))
                    self.expect(self.run_exact(loss, '--gamma', str(gamma)), gamma * mean + (1 - gamma) * tail)

    def test_mean_budgets(self):
        for loss in LOSSES:
            least = solve(loss, (1, 0))[0]
            for budget in (0.02, 0.1):
                with self.subTest(loss=loss, budget=budget):
                    _, tail = solve(loss, (0, 1), ('mean', (1 + budget) * least))
                    ours = self.run_exact(loss, '--mean-budget', f'{100 * budget:g}%')
                    self.expect(ours, tail)
                    self.assertLessEqual(ours['risk']['train']['mean'], (1 + budget) * least * (1 + 1e-5))

    def test_cvar_limits(self):
        for loss in LOSSES:
            with self.subTest(loss=loss):
                least = solve(loss, (0, 1))[1]
                plain = solve(loss, (1, 0))[1]
                limit = 0.5 * (least + plain)
                mean, _ = solve(loss, (1, 0), ('cvar', limit))
                ours = self.run_exact(loss, '--cvar-limit', repr(limit))
                self.expect(ours, mean)
                self.assertLessEqual(ours['risk']['train']['cvar'], limit * (1 + 1e-9))


if __name__ == '__main__':
    PROGRAM = sys.argv.pop(1)
    unittest.main()

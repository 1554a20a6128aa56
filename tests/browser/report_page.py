"""report_page.py PROGRAM: the pages that PROGRAM writes, in headless Chromium through chromedriver.

Makes pages by `train`, `compare`, `evaluate`, `reproduce`, `frontier` and `best` on data with names that are markup, opens each as a
file and checks: nothing in the console, no request but for the page itself, every figure drawn, the
switches, the sorting and the copying work, all by keyboard where a keyboard should do. Exit code 77
(ctest: skipped) where there is no Chromium or chromedriver.
"""

import base64
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

SKIPPED = 77
PROGRAM = ''
PAGES = ('compare.html', 'train.html', 'evaluate.html', 'classes.html', 'reproduce.html', 'frontier.html',
         'best.html')
EVIL = '</script><img src=x onerror=alert(1)>'


def browser_paths():
    driver = shutil.which('chromedriver')
    browser = shutil.which('chromium') or shutil.which('google-chrome')
    return driver, browser


class Browser:
    """A session of the WebDriver protocol."""

    def __init__(self, driver, browser):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # Port 0: the driver takes a free one and says which.
        self.process = subprocess.Popen([driver, '--port=0'], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if 'started successfully on port' in line:
                self.base = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
                break
        arguments = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                     '--disable-background-networking', '--no-first-run',
                     f'--user-data-dir={self.profile.name}']
        found = self.ask('POST', '/session', {'capabilities': {'alwaysMatch': {
            'goog:chromeOptions': {'binary': browser, 'args': arguments},
            'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}}})
        self.base += '/session/' + found['sessionId']

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method,
                                         headers={'Content-Type': 'application/json'})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)['value']

    def open(self, path):
        self.ask('POST', '/url', {'url': 'file://' + path})

    def run(self, script, *arguments):
        return self.ask('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def control(self, command, **parameters):
        return self.ask('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def log(self, kind):
        return self.ask('POST', '/se/log', {'type': kind})

    def press(self, key):
        self.ask('POST', '/actions', {'actions': [{'type': 'key', 'id': 'keys', 'actions': [
            {'type': 'keyDown', 'value': key}, {'type': 'keyUp', 'value': key}]}]})

    def close(self):
        try:
            self.ask('DELETE', '')
        finally:
            self.process.terminate()
            self.process.wait(timeout=30)
            self.process.stdout.close()
            self.profile.cleanup()


# The kinds of pixels of every canvas: one that was drawn has several.
COLOURS = '''
return [...document.querySelectorAll('canvas')].map(canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
  return seen.size;
});'''
PICTURES = "return [...arguments[0].querySelectorAll('canvas')].map(canvas => canvas.toDataURL());"
WIDTH = 'return [document.documentElement.scrollWidth, window.innerWidth];'


def rows_of_classes(count):
    """Three classes of points; a column and a class are named in markup."""
    lines = [f'"{EVIL}",v,colour,kind']
    names = ['a', f'"{EVIL}"', 'c']
    for i in range(count):
        kind = i % 3
        u = 2.0 * kind + (i * 7919 % 101) / 40
        v = (2.0 if kind == 1 else 0.0) + (i * 104729 % 89) / 40
        lines.append(f'{u},{v},{"red" if i % 5 else "<b>blue</b>"},{names[kind]}')
    return '\n'.join(lines) + '\n'


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(*browser_paths())
        cls.folder = tempfile.TemporaryDirectory()
        cls.make('compare', 'pareto', '--make-rows', '600', '--epochs', '5', '--report', 'compare.html')
        with open(os.path.join(cls.folder.name, 'classes.csv'), 'w', encoding='utf-8') as file:
            file.write(rows_of_classes(300))
        cls.make('train', 'classes.csv', '--target', 'kind', '--epochs', '5', '--model', 'm.json',
                 '--report', 'train.html')
        cls.make('evaluate', 'm.json', 'classes.csv', '--group', 'colour', '--report', 'evaluate.html')
        cls.make('compare', 'classes.csv', '--target', 'kind', '--epochs', '3', '--report', 'classes.html')
        cls.make('reproduce', 'convex', '--sets', 'sinc', '--make-rows', '60', '--seeds', '2', '--out', 'r',
                 '--report', 'reproduce.html')
        cls.make('frontier', 'classes.csv', '--target', 'kind', '--ridge', '0.01', '--points', '8', '--report',
                 'frontier.html')
        cls.make('best', 'classes.csv', '--target', 'kind', '--mean-budget', '0.2', '--report',
                 'best.html')

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    @classmethod
    def make(cls, *arguments):
        subprocess.run([PROGRAM, *arguments, '--quiet'], cwd=cls.folder.name, check=True, timeout=120,
                       stdout=subprocess.DEVNULL)

    def open(self, name):
        self.browser.log('browser')
        self.browser.log('performance')
        self.browser.open(os.path.join(self.folder.name, name))

    def requests(self):
        events = [json.loads(entry['message'])['message'] for entry in self.browser.log('performance')]
        sent = [event['params']['request']['url'] for event in events
                if event['method'] == 'Network.requestWillBeSent']
        return [url for url in sent if not url.startswith('data:')]

    def test_every_page_is_drawn_without_errors_or_requests(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.open(name)
                colours = self.browser.run(COLOURS)
                self.assertGreaterEqual(len(colours), 2)
                self.assertTrue(all(count > 2 for count in colours), colours)
                figures, plots = self.browser.run(
                    "return [document.querySelectorAll('[data-figure]').length,"
                    " document.querySelectorAll('.plot:has(canvas)').length]")
                self.assertEqual(figures, plots)
                self.assertEqual(self.browser.log('browser'), [])
                sent = self.requests()
                self.assertEqual(len(sent), 1, sent)
                self.assertTrue(sent[0].endswith(name))

    def test_names_from_data_are_shown_not_obeyed(self):
        for name in ('train.html', 'evaluate.html'):
            with self.subTest(page=name):
                self.open(name)
                self.assertEqual(self.browser.run("return document.querySelectorAll('img, b').length"), 0)
                self.assertIn(EVIL, self.browser.run('return document.body.innerText'))
                scripts = self.browser.run('return document.scripts.length')
                self.assertEqual(scripts, 3)

    def test_a_switch_changes_the_figure_and_back(self):
        self.open('compare.html')
        figure = self.browser.run("return document.getElementById('losses')")
        pictures = [self.browser.run(PICTURES, figure)]
        for value in (1, 2, 0):
            self.browser.run("arguments[0].querySelectorAll('input')[arguments[1]].click()", figure, value)
            pictures.append(self.browser.run(PICTURES, figure))
        self.assertEqual(pictures[0], pictures[3])
        self.assertEqual(len({tuple(picture) for picture in pictures}), 3)
        self.assertTrue(all(count > 2 for count in self.browser.run(COLOURS)))
        self.assertEqual(self.browser.log('browser'), [])

    def test_a_keyboard_reaches_switches_and_tables(self):
        self.open('compare.html')
        figure = self.browser.run("return document.getElementById('losses')")
        before = self.browser.run(PICTURES, figure)
        self.browser.run("arguments[0].querySelector('input').focus()", figure)
        self.browser.press('\ue014')  # arrow to the right
        self.assertNotEqual(before, self.browser.run(PICTURES, figure))
        reached = set()
        for _ in range(60):
            self.browser.press('\ue004')  # tab
            reached.add(self.browser.run('return document.activeElement.tagName'))
        self.assertLessEqual({'BUTTON', 'SUMMARY', 'DIV'}, reached)

    def test_tables_sort_by_value_and_copy_as_csv(self):
        self.open('compare.html')
        self.browser.run("""
          window.copied = [];
          navigator.clipboard.writeText = text => { window.copied.push(text); return Promise.resolve(); };
          window.risks = [...document.querySelectorAll('table')].find(table => table.rows[0].innerText.includes('CVaR'));
        """)
        values = """
          return [...risks.tBodies[0].rows].map(row => Number(row.cells[3].dataset.value));"""
        for direction in ('ascending', 'descending'):
            self.browser.run('risks.querySelectorAll("th button")[3].click()')
            self.assertEqual(self.browser.run('return risks.querySelectorAll("th")[3].getAttribute("aria-sort")'),
                             direction)
            found = self.browser.run(values)
            self.assertEqual(found, sorted(found, reverse=direction == 'descending'))
        self.browser.run('document.querySelector(`[data-copies="${risks.id}"]`).click()')
        copied = self.browser.run('return copied')[0].splitlines()
        self.assertTrue(copied[0].startswith('algorithm,mean,VaR,CVaR'), copied[0])
        self.assertEqual([float(row[3]) for row in csv.reader(copied[1:])], found)

    def test_charts_have_words_and_the_page_fits_a_phone(self):
        for name in PAGES:
            with self.subTest(page=name):
                self.open(name)
                labels = self.browser.run("return [...document.querySelectorAll('.plot')].map(one => one.getAttribute('aria-label'))")
                self.assertTrue(labels and all(len(label) > 20 for label in labels))
                for width in (360, 1200):
                    self.browser.control('Emulation.setDeviceMetricsOverride', width=width, height=800,
                                         deviceScaleFactor=1, mobile=width < 800)
                    full, window = self.browser.run(WIDTH)
                    self.assertLessEqual(full, window)
                self.assertNotIn('anywhere', self.browser.run("""
                  return [...document.querySelectorAll('td')].map(one => getComputedStyle(one).overflowWrap);"""),
                                 'short words would be broken')
                self.browser.control('Emulation.clearDeviceMetricsOverride')

    def test_printed_tables_are_not_cut(self):
        # The width that A4 leaves between its margins.
        self.browser.control('Emulation.setDeviceMetricsOverride', width=718, height=1000, deviceScaleFactor=1,
                             mobile=False)
        self.browser.control('Emulation.setEmulatedMedia', media='print', features=[])
        for name in PAGES:
            with self.subTest(page=name):
                self.open(name)
                wide = self.browser.run("""
                  return [...document.querySelectorAll('table')].filter(one => one.getBoundingClientRect().right > innerWidth)
                    .map(one => `${one.rows[0].innerText}: ${one.offsetWidth}`);""")
                self.assertEqual(wide, [])
        self.browser.control('Emulation.setEmulatedMedia', media='', features=[])
        self.browser.control('Emulation.clearDeviceMetricsOverride')

    def test_histograms_name_their_axis_and_fill_their_panels(self):
        for name in ('compare.html', 'train.html', 'classes.html'):
            with self.subTest(page=name):
                self.open(name)
                self.browser.run("document.querySelector('#losses input').click()")
                labels, highest, end = self.browser.run("""
                  const charts = [...document.querySelectorAll('#losses canvas')].map(one => Chart.getChart(one));
                  const heights = charts.flatMap(one => one.data.datasets[0].data.map(point => point.y));
                  return [charts.map(one => one.options.scales.y.title), Math.max(...heights), charts[0].scales.y.max];""")
                self.assertTrue(all(label['display'] and label['text'] == 'share of rows' for label in labels))
                self.assertGreater(highest, 0.7 * end)
                self.assertLessEqual(highest, end)

    def test_cells_without_numbers_stand_right_and_sort_last(self):
        self.open('reproduce.html')
        self.browser.run("""
          window.ours = [...document.querySelectorAll('table')].find(one => one.innerText.includes('paper CVaR'));""")
        aligned = self.browser.run("""
          return [...ours.tBodies[0].rows].map(row => getComputedStyle(row.cells[2]).textAlign);""")
        self.assertEqual(set(aligned), {'right'})
        for _ in range(2):
            self.browser.run("ours.querySelectorAll('th button')[2].click()")
            shown = self.browser.run("return [...ours.tBodies[0].rows].map(row => row.cells[2].textContent)")
            self.assertEqual(shown[-2:], ['\u2013', '\u2013'])
            self.assertNotIn('\u2013', shown[:-2])

    def test_headers_hint_at_sorting_and_long_ones_are_cut(self):
        self.open('evaluate.html')
        hints = self.browser.run("""
          return [...document.querySelectorAll('th button')].map(one => getComputedStyle(one, '::after').content);""")
        self.assertTrue(all(hint not in ('none', 'normal', '""') for hint in hints), hints)
        self.browser.run("""
          window.long = document.querySelector('th button span');
          long.textContent = 'a name of a column that goes on '.repeat(9);""")
        width, full = self.browser.run('return [long.offsetWidth, long.scrollWidth]')
        self.assertLess(width, 300)
        self.assertGreater(full, width)

    def test_a_curve_is_pointed_at_by_mouse_and_arrow_keys(self):
        self.open('frontier.html')
        shown = """
          const chart = Chart.getChart(document.querySelector('#frontier canvas'));
          return chart.tooltip.opacity > 0 ? chart.tooltip.body.flatMap(part => part.lines) : [];"""
        self.assertEqual(self.browser.run(shown), [])
        self.browser.run("document.querySelector('#frontier .plot').focus()")
        self.browser.press('\ue014')  # arrow to the right
        first = self.browser.run(shown)
        self.assertTrue(first[0].startswith('test rows, gamma 1'), first)
        self.assertTrue(any(line.startswith('accuracy') for line in first), first)
        self.browser.press('\ue014')
        self.assertNotEqual(first, self.browser.run(shown))
        self.browser.press('\ue015')  # down: the next curve
        self.assertTrue(self.browser.run(shown)[0].startswith('validation rows'), self.browser.run(shown))
        self.assertIn('validation rows', self.browser.run("return document.getElementById('said').textContent"))
        place = self.browser.run("""
          const canvas = document.querySelector('#frontier canvas');
          const end = Chart.getChart(canvas).getDatasetMeta(0).data.at(-1);
          const box = canvas.getBoundingClientRect();
          return [Math.round(box.left + end.x), Math.round(box.top + end.y)];""")
        self.browser.ask('POST', '/actions', {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': [
            {'type': 'pointerMove', 'duration': 0, 'x': place[0], 'y': place[1]}]}]})
        self.assertTrue(any('gamma 0' in line for line in self.browser.run(shown)), self.browser.run(shown))
        self.assertEqual(self.browser.log('browser'), [])

    def test_a_command_is_copied_as_it_was_written(self):
        self.open('compare.html')
        self.browser.run("""
          window.copied = [];
          navigator.clipboard.writeText = text => { window.copied.push(text); return Promise.resolve(); };
          document.querySelector('[data-copies^=command]').click();""")
        self.assertEqual(self.browser.run('return copied'), [
            'adacvar compare pareto --make-rows 600 --epochs 5 --report compare.html --quiet'])

    def test_dark_and_light_differ_and_print_has_drawings(self):
        self.open('compare.html')
        seen = []
        for scheme in ('light', 'dark'):
            self.browser.control('Emulation.setEmulatedMedia',
                                 features=[{'name': 'prefers-color-scheme', 'value': scheme}])
            seen.append(self.browser.run('return getComputedStyle(document.body).backgroundColor'))
        self.assertEqual(len(set(seen)), 2)
        self.browser.control('Emulation.setEmulatedMedia', media='print', features=[])
        shown = self.browser.run("""
          const visible = selector => [...document.querySelectorAll(selector)].filter(one => one.offsetParent !== null).length;
          return [visible('.plot'), visible('.drawing'), document.querySelectorAll('[data-figure]').length];""")
        self.browser.control('Emulation.setEmulatedMedia', media='', features=[])
        self.assertEqual(shown[0], 0)
        self.assertEqual(shown[1], shown[2])
        printed = base64.b64decode(self.browser.ask('POST', '/print', {})[:64])
        self.assertTrue(printed.startswith(b'%PDF'))


if __name__ == '__main__':
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    if None in browser_paths():
        print('skipped: chromium and chromedriver are not installed (scripts/install-deps.sh test)')
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)

'use strict';
(() => {
  document.documentElement.classList.add('js');
  const figures = JSON.parse(document.getElementById('figures').textContent);
  const dashes = [[], [7, 3], [2, 3], [10, 3, 2, 3], [4, 2]];
  const shapes = ['circle', 'rect', 'triangle', 'rectRot', 'triangle'];
  const charts = new Map();

  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = n => style('--c' + (n % 7));
  const faded = (hex, share) => hex + Math.round(255 * share).toString(16).padStart(2, '0');

  function numberText(value) {
    if (value === null || !Number.isFinite(value)) return '';
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
      return value.toExponential(3).replace(/\.?0+e/, 'e').replace('e+', 'e');
    }
    return value.toLocaleString('en-US', { maximumSignificantDigits: 4 });
  }

  // Ticks of a logarithmic axis: powers of ten, with 2 and 5 between them if there is room.
  function logTick(value, index, ticks) {
    const power = Math.floor(Math.log10(value) + 1e-9);
    const lead = Math.round(value / 10 ** power);
    const decades = Math.log10(ticks[ticks.length - 1].value / ticks[0].value);
    if (Math.abs(value / 10 ** power - lead) > 1e-6) return null;  // an end of the axis
    if (lead !== 1 && (decades > 2.5 || (lead !== 2 && lead !== 5))) return null;
    if (lead === 1 && decades > 7 && power % Math.ceil(decades / 7) !== 0) return null;
    return numberText(value);
  }

  function axis(label, log, more) {
    return Object.assign({
      type: log ? 'logarithmic' : 'linear',
      title: { display: !!label, text: label, color: style('--ink') },
      grid: { color: style('--grid'), borderColor: style('--soft') },
      ticks: { color: style('--ink'), maxRotation: 0, callback: log ? logTick : numberText },
    }, more);
  }

  const inked = (context, width, dash) => {
    context.strokeStyle = context.fillStyle = style('--ink');
    context.lineWidth = width;
    context.setLineDash(dash);
    context.font = '12px system-ui, sans-serif';
  };

  // Error bars and stars, which Chart.js lacks.
  const barMarks = data => ({
    id: 'barMarks',
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      context.save();
      inked(context, 1, []);
      context.textAlign = 'center';
      data.series.forEach((series, s) => {
        const meta = chart.getDatasetMeta(s);
        if (meta.hidden) return;
        meta.data.forEach((bar, g) => {
          if (series.values[g] === null) return;
          const [low, high] = (series.errors && series.errors[g]) || [series.values[g], series.values[g]];
          const scale = chart.scales.y;
          const at = value => scale.getPixelForValue(data.logY ? Math.max(value, scale.min) : value);
          if (low < high) {
            const cap = Math.min(4, bar.width / 3);
            context.beginPath();
            context.moveTo(bar.x, at(low));
            context.lineTo(bar.x, at(high));
            for (const end of [low, high]) {
              context.moveTo(bar.x - cap, at(end));
              context.lineTo(bar.x + cap, at(end));
            }
            context.stroke();
          }
          if (series.marked && series.marked[g]) {
            context.fillText('\u2605', bar.x, Math.min(bar.y, at(high), at(data.logY ? scale.min : 0)) - 4);
          }
        });
      });
      context.restore();
    },
  });

  const verticalMarks = (marks, named) => ({
    id: 'verticalMarks',
    afterDatasetsDraw(chart) {
      const { ctx: context, chartArea: area, scales: { x } } = chart;
      context.save();
      marks.forEach((mark, i) => {
        if (!(mark.x >= x.min && mark.x <= x.max)) return;
        const at = x.getPixelForValue(mark.x);
        inked(context, 1.5, named ? [2, 3] : dashes[i % 3]);
        context.beginPath();
        context.moveTo(at, area.top);
        context.lineTo(at, area.bottom);
        context.stroke();
        if (!named) return;
        const left = at > area.left + 0.7 * area.width;
        context.textAlign = left ? 'right' : 'left';
        context.fillText(mark.name, at + (left ? -5 : 5), area.top + 12 + 15 * i);
      });
      context.restore();
    },
  });

  // Right of the point, above to its right, left, above or below it, where there is space.
  function freePlace(point, width, area, taken) {
    const box = (left, top) => ({ left, top, width, height: 15 });
    const places = [box(point.x + 11, point.y - 8), box(point.x + 9, point.y - 23), box(point.x - 11 - width, point.y - 8),
      box(point.x - width / 2, point.y - 26), box(point.x - width / 2, point.y + 10),
      box(point.x - width / 2, point.y - 42), box(point.x - width / 2, point.y + 26)];
    const inside = one => one.left >= area.left && one.left + width <= area.right;
    const apart = (one, other) => one.left + one.width < other.left || other.left + other.width < one.left
      || one.top + one.height < other.top || other.top + other.height < one.top;
    const free = places.find(one => inside(one) && taken.every(other => apart(one, other)));
    if (free) taken.push(free);
    return free;
  }

  const pointNames = {
    id: 'pointNames',
    afterDatasetsDraw(chart) {
      const { ctx: context, chartArea: area } = chart;
      context.save();
      inked(context, 1, []);
      const taken = chart.data.datasets.flatMap((set, s) => {
        const half = set.showLine ? 2 : 8;
        return set.label === 'equal' ? [] : chart.getDatasetMeta(s).data
          .map(point => ({ left: point.x - half, top: point.y - half, width: 2 * half, height: 2 * half }));
      });
      chart.data.datasets.forEach((set, s) => {
        const meta = chart.getDatasetMeta(s);
        if (meta.hidden || set.showLine) return;
        const names = set.names || (set.data.length === 1 ? [set.label] : []);
        names.forEach((name, i) => {
          const place = freePlace(meta.data[i], context.measureText(name).width, area, taken);
          if (place) context.fillText(name, place.left, place.top + 12);  // else the legend or tooltip has it
        });
      });
      context.restore();
    },
  };

  // Chart.js ignores the dashes of lines in its legend.
  const dashedLabels = chart => Chart.defaults.plugins.legend.labels.generateLabels(chart)
    .map(label => Object.assign(label, { lineDash: chart.data.datasets[label.datasetIndex].borderDash || [] }));

  function options(data, scales, legend) {
    return {
      responsive: true,
      maintainAspectRatio: false,
      animation: false,
      scales,
      interaction: { mode: 'nearest', intersect: false },
      plugins: {
        legend: {
          display: legend,
          labels: data.kind === 'bar' ? { color: style('--ink'), boxWidth: 14 }
            : { color: style('--ink'), usePointStyle: true, pointStyleWidth: data.kind === 'line' ? 30 : undefined,
                boxHeight: 8, generateLabels: dashedLabels },
        },
        tooltip: {
          callbacks: {
            label: item => {
              const name = item.dataset.label;
              if (item.dataset.details) return item.dataset.details[item.dataIndex].split('; ');
              return data.kind === 'bar' ? `${name}: ${numberText(item.parsed.y)}`
                : `${name}: ${numberText(item.parsed.y)} at ${numberText(item.parsed.x)}`;
            },
            title: items => (data.kind === 'bar' && items.length ? items[0].label : ''),
          },
        },
      },
    };
  }

  // Error bars and stars must be visible, too.
  function barRange(data) {
    const ends = data.series.flatMap(series => series.values.concat((series.errors || []).flat()))
      .filter(value => value !== null && (!data.logY || value > 0));
    const stars = data.series.some(series => series.marked && series.marked.includes(true));
    return { beginAtZero: true, grace: stars ? '6%' : 0, suggestedMin: Math.min(...ends), suggestedMax: Math.max(...ends) };
  }

  // Otherwise a logarithmic axis would begin and end at a power of ten.
  function lineRange(data) {
    const shown = data.series.flatMap(series => series.x).filter(value => value > 0);
    return data.logX && shown.length > 1 ? { min: Math.min(...shown), max: Math.max(...shown) } : {};
  }

  const points = series => series.x.map((x, i) => ({ x, y: series.y[i] }));

  // The part of x = y within the range of the points on both axes.
  function diagonal(data) {
    const ends = values => [Math.min(...values), Math.max(...values)];
    const shown = key => data.series.flatMap(series => series[key]).filter(value => value !== null && (!data.logX || value > 0));
    const [[xLow, xHigh], [yLow, yHigh]] = data.shares ? [[0, 1], [0, 1]] : [ends(shown('x')), ends(shown('y'))];
    const low = Math.max(xLow, yLow);
    const high = Math.min(xHigh, yHigh);
    return low < high ? [{ x: low, y: low }, { x: high, y: high }] : [];
  }

  // A cloud of many points has small translucent ones; others on it are smaller, too, and in front.
  function pointSet(data, series, n) {
    const many = series.x.length > 100;
    const cloud = data.series.some(other => other.x.length > 100);
    const radius = many ? 2.5 : cloud ? 5 : 7;
    return {
      label: series.name, data: points(series).filter(point => (!data.logX || point.x > 0) && (!data.logY || point.y > 0)),
      backgroundColor: many ? faded(colour(n), 0.5) : colour(n), borderColor: colour(n),
      pointStyle: shapes[n % 5], rotation: n % 5 === 4 ? 180 : 0, pointRadius: radius, pointHoverRadius: radius + 2,
      borderWidth: many ? 0 : 2, order: cloud ? -n : 0, names: series.names, details: series.details,
      ...(series.joined ? { pointRadius: 2, pointHoverRadius: 6, showLine: true, borderDash: dashes[n % 5], clip: false } : {}),
    };
  }

  const makers = {
    bar(data) {
      return {
        type: 'bar',
        data: {
          labels: data.groups.map(name => (name.length > 24 ? name.slice(0, 23) + '\u2026' : name)),
          datasets: data.series.map((series, n) => ({
            label: series.name, data: series.values, backgroundColor: colour(n), categoryPercentage: 0.84, barPercentage: 0.95,
          })),
        },
        options: options(data, {
          x: { grid: { display: false }, ticks: { color: style('--ink'), autoSkip: false } },
          y: axis(data.yLabel, data.logY, barRange(data)),
        }, data.series.length > 1),
        plugins: [barMarks(data)],
      };
    },
    line(data) {
      return {
        type: 'line',
        data: {
          datasets: data.series.map((series, n) => ({
            label: series.name, data: points(series), borderColor: colour(n), backgroundColor: colour(n), borderWidth: 2, pointStyle: 'line',
            borderDash: dashes[n % 5], pointRadius: series.x.length === 1 ? 4 : 0, pointHitRadius: 8, spanGaps: false,
          })),
        },
        options: options(data, { x: axis(data.xLabel, data.logX, lineRange(data)), y: axis(data.yLabel, data.logY) }, data.series.length > 1),
        plugins: [verticalMarks(data.marks, true)],
      };
    },
    scatter(data) {
      const sets = data.series.map((series, n) => pointSet(data, series, n));
      if (data.diagonal) {
        sets.push({ label: 'equal', data: diagonal(data), type: 'line', showLine: true, pointRadius: 0,
          borderColor: style('--soft'), borderDash: [2, 3], borderWidth: 1.5 });
      }
      const room = { grace: data.shares || data.series.some(series => series.joined) ? 0 : '8%' };
      return {
        type: 'scatter',
        data: { datasets: sets },
        options: options(data, { x: axis(data.xLabel, data.logX, room), y: axis(data.yLabel, data.logY, room) }, true),
        plugins: [pointNames],
      };
    },
  };

  // The range of all panels, so that they can be compared.
  function histogramRange(data) {
    const edges = data.series.flatMap(series => series.edges).concat(data.series.flatMap(series => series.marks.map(mark => mark.x)));
    const shown = edges.filter(value => value !== null && (!data.logX || value > 0));
    const heights = data.series.flatMap(series => series.heights);
    return { min: Math.min(...shown), max: Math.max(...shown), high: Math.max(...heights),
      low: Math.min(...heights.filter(value => value > 0)) };
  }

  // Rounded so that the largest bar fills most of the panel and half of it is a short number, too.
  function niceAbove(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 7, 8, 9, 10].map(factor => factor * power).find(nice => nice >= value * 0.999);
  }

  function panel(data, n, range) {
    const series = data.series[n];
    const steps = series.edges.map((x, i) => ({ x, y: series.heights[Math.min(i, series.heights.length - 1)] }))
      .map(point => (data.logY && !(point.y > 0) ? { x: point.x, y: null } : point));
    const last = n + 1 === data.series.length;
    const y = data.logY
      ? { min: 10 ** Math.floor(Math.log10(range.low)), max: 10 ** Math.ceil(Math.log10(range.high)) }
      : { min: 0, max: niceAbove(range.high) };
    const x = axis(last ? data.xLabel : '', data.logX, { min: range.min, max: range.max });
    x.ticks.includeBounds = false;
    const scaleY = axis(data.yLabel, data.logY, y);
    scaleY.ticks.maxTicksLimit = 5;
    if (!data.logY) scaleY.ticks.stepSize = y.max / 2;
    scaleY.afterFit = scale => { scale.width = 64; };  // panels line up
    const config = options({ kind: 'line' }, { x, y: scaleY }, false);
    config.plugins.tooltip.callbacks.label = item => `${data.yLabel}: ${numberText(item.parsed.y)} from ${numberText(item.parsed.x)} on`;
    return {
      type: 'line',
      data: { datasets: [{ label: series.name, data: steps, stepped: 'before', fill: 'start', pointRadius: 0, pointHitRadius: 6,
        borderWidth: 1.5, borderColor: colour(n), backgroundColor: faded(colour(n), 0.45) }] },
      options: config,
      plugins: [verticalMarks(series.marks, false)],
    };
  }

  function addCanvas(plot, height, least) {
    const box = document.createElement('div');
    box.className = 'canvas';
    box.style.height = height + 'px';
    if (least) box.style.minWidth = least + 'px';
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');  // its parent has the alternative text
    box.append(canvas);
    plot.append(box);
    return canvas;
  }

  const markSigns = ['\u2502', '\u2506', '\u250a'];
  function panelTitle(plot, series) {
    const title = document.createElement('p');
    title.className = 'panel';
    title.append(series.name);
    series.marks.forEach((mark, i) => {
      const part = document.createElement('span');
      part.textContent = `${markSigns[i % 3]} ${mark.name} ${numberText(mark.x)}`;
      title.append(part);
    });
    plot.append(title);
  }

  function drawHistogram(plot, data) {
    const range = histogramRange(data);
    return data.series.map((series, n) => {
      panelTitle(plot, series);
      const single = data.series.length === 1;
      const height = (single ? 240 : 110) + (n + 1 === data.series.length ? 24 : 0);
      return new Chart(addCanvas(plot, height), panel(data, n, range));
    });
  }

  function draw(element) {
    const figure = figures[Number(element.dataset.figure)];
    const chosen = element.querySelector('input:checked');
    const data = figure[chosen ? Number(chosen.value) : 0];
    const plot = element.querySelector('.plot');
    (charts.get(element) || []).forEach(chart => chart.destroy());
    plot.replaceChildren();
    if (data.kind === 'histogram') {
      charts.set(element, drawHistogram(plot, data));
    } else {
      const bars = data.kind === 'bar' ? data.groups.length * (data.series.length * 9 + 12) + 70 : 0;
      const height = element.closest('.figures') ? 280 : 340;
      charts.set(element, [new Chart(addCanvas(plot, height, bars > 400 ? bars : 0), makers[data.kind](data))]);
    }
  }

  // The arrow keys walk along a curve: left and right to its next point, up and down to the next curve.
  function walk(element, event) {
    const chart = (charts.get(element) || [])[0];
    const curves = chart ? chart.data.datasets.map((set, s) => s).filter(s => chart.data.datasets[s].showLine
      && chart.data.datasets[s].details && chart.isDatasetVisible(s)) : [];
    const [across, down] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] || [];
    if (curves.length === 0 || across === undefined) return;
    event.preventDefault();
    const now = chart.getActiveElements()[0];
    const curve = now ? Math.max(curves.indexOf(now.datasetIndex), 0) : 0;
    const datasetIndex = curves[now ? (curve + down + curves.length) % curves.length : 0];
    const last = chart.data.datasets[datasetIndex].data.length - 1;
    const index = now ? Math.min(Math.max(now.index + across, 0), last) : 0;
    const active = [{ datasetIndex, index }];
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, chart.getDatasetMeta(datasetIndex).data[index].getProps(['x', 'y']));
    chart.update();
    document.getElementById('said').textContent = chart.data.datasets[datasetIndex].details[index];
  }

  const drawAll = () => document.querySelectorAll('[data-figure]').forEach(draw);

  function sortBy(table, column, header) {
    const down = header.getAttribute('aria-sort') === 'ascending';
    table.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
    header.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const numbers = header.classList.contains('number');
    const key = row => {
      const cell = row.cells[column];
      if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
      return numbers ? null : cell.textContent;
    };
    const order = (a, b) => (numbers ? a - b : String(a).localeCompare(String(b), 'en', { numeric: true }));
    // Cells without a number come last in both directions.
    const compare = (a, b) => (a === null || b === null ? (a === null) - (b === null) : down ? order(b, a) : order(a, b));
    const rows = [...table.tBodies[0].rows].map((row, i) => [key(row), i, row]);
    rows.sort((a, b) => compare(a[0], b[0]) || a[1] - b[1]);
    table.tBodies[0].append(...rows.map(row => row[2]));
  }

  function csvOf(table) {
    const cell = element => {
      const shown = element.textContent.trim();
      // A cell like 0.35±0.04 or 4 (3 to 5) has more than its sort key.
      const text = element.dataset.value === undefined || /[±(]/.test(shown) ? shown : element.dataset.value;
      return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    return [...table.rows].map(row => [...row.cells].map(cell).join(',') + '\n').join('');
  }

  async function copy(text, button) {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand('copy');
      area.remove();
    }
    const words = button.dataset.words || button.textContent;
    button.dataset.words = words;
    document.getElementById('said').textContent = button.textContent = done ? 'Copied' : 'Not allowed';
    setTimeout(() => { button.textContent = words; }, 1500);
  }

  // A command wraps between words, not at dashes.
  document.querySelectorAll('pre').forEach(command =>
    command.replaceChildren(...command.textContent.split(/( +)/).map(part => {
      if (part.trim() === '') return part;
      const word = document.createElement('span');
      word.textContent = part;
      return word;
    })));
  document.querySelectorAll('[data-figure]').forEach(element =>
    element.addEventListener('change', () => draw(element)));
  document.querySelectorAll('[data-figure] .plot').forEach(plot =>
    plot.addEventListener('keydown', event => walk(plot.closest('[data-figure]'), event)));
  document.querySelectorAll('table').forEach(table =>
    table.querySelectorAll('th').forEach((header, column) =>
      header.querySelector('button')?.addEventListener('click', () => sortBy(table, column, header))));
  document.querySelectorAll('[data-copies]').forEach(button =>
    button.addEventListener('click', () => {
      const source = document.getElementById(button.dataset.copies);
      copy(source.tagName === 'TABLE' ? csvOf(source) : source.textContent, button);
    }));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
  drawAll();
})();

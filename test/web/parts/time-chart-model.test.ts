import { test } from 'tap';
import { mibText } from '../../../web/parts/size-text.ts';
import { chartText, drawnSeries, lastValue, valueText } from '../../../web/parts/time-chart-model.ts';

const FAILED = { label: 'Failed', color: '--a', values: [1, null, 0] };
const DONE = { label: 'Done', color: '--b', values: [5, 2, 3] };

void test('lines keep their values, and stacked series are drawn highest first', (t) => {
  t.strictSame(
    drawnSeries([FAILED, DONE], false).map(({ heights }) => heights),
    [FAILED.values, DONE.values],
  );
  const stacked = drawnSeries([FAILED, DONE], true);
  t.strictSame(
    stacked.map(({ series, heights }) => [series.label, heights]),
    [
      ['Done', [6, 2, 3]],
      ['Failed', [1, null, 0]],
    ],
  );
  t.strictSame(drawnSeries([], true), []);
  t.end();
});

void test('a chart as text', (t) => {
  t.equal(lastValue({ values: [1, 2, null] }), 2);
  t.equal(lastValue({ values: [null] }), null);
  t.strictSame(
    [valueText(1_234.56), valueText(0), valueText(null), valueText(undefined)],
    ['1,234.6', '0', '–', '–'],
  );
  t.equal(
    chartText('Tasks', [FAILED, DONE], 'tasks'),
    'Tasks: Failed 0 tasks last, 1 at most; Done 3 tasks last, 5 at most.',
  );
  t.end();
});

void test('formats memory sizes', (t) => {
  t.strictSame([0, 512, 1_024, 64_307, 1_572_864].map(mibText), [
    '–',
    '512 MiB',
    '1 GiB',
    '62.8 GiB',
    '1.5 TiB',
  ]);
  t.end();
});

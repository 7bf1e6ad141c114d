import { test } from 'tap';
import { median, percentile } from '../../../bench/kit/results.ts';
import { Samples } from '../../../bench/kit/swarm/samples.ts';
import { textTable } from '../../../bench/kit/text-table.ts';

test('a percentile is the value at a quantile of the sorted list', async (t) => {
  const values = Array.from({ length: 1000 }, (_unused, index) => index);
  t.equal(percentile(values, 0.5), 500);
  t.equal(percentile(values, 0.99), 990);
  t.equal(percentile(values, 0.999), 999);
  t.equal(percentile(values, 1), 999, 'at most the largest value');
  t.equal(percentile([], 0.5), 0, 'an empty list has no percentile');
});

test('the median does not depend on the order', async (t) => {
  const values = [3, 1, 2];
  t.equal(median(values), 2);
  t.same(values, [3, 1, 2], 'the input is not changed');
});

test('samples are counted beyond the initial capacity, and sorted as numbers', async (t) => {
  const samples = new Samples();
  for (let value = 100_000; value > 0; value--) samples.add(value / 10);
  t.equal(samples.size, 100_000);
  t.same(samples.latencies(), { p50: 5_000.1, p99: 9_900.1, p999: 9_990.1 });
  samples.clear();
  t.same(samples.latencies(), { p50: 0, p99: 0, p999: 0 });
});

test('a table aligns its columns', async (t) => {
  t.equal(
    textTable(
      ['name', 'a second'],
      [
        ['long name', '1'],
        ['x', '1,000,000,000'],
      ],
    ),
    'name            a second\nlong name              1\nx          1,000,000,000\n',
  );
});

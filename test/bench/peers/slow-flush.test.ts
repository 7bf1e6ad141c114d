import { test } from 'tap';
import { preloading, readFlushUs, resultName } from '../../../bench/peers/slow-flush.ts';

test('the duration of a flush is a whole number of microseconds', (t) => {
  t.equal(readFlushUs(undefined), null);
  t.equal(readFlushUs('1'), 1);
  t.equal(readFlushUs('280'), 280);
  t.equal(readFlushUs('100000'), 100_000);
  for (const text of ['', '0', '-280', '2.8', '1e3', '280us', ' 280', '100001'])
    t.throws(() => readFlushUs(text), {
      message: `--flush-us is a whole number of microseconds from 1 to 100000, not ${text}`,
    });
  t.end();
});

test('results with slow flushes do not replace the others', (t) => {
  t.equal(resultName(null), 'peers');
  t.equal(resultName(280), 'peers-flush-280');
  t.end();
});

test('the library is loaded before other preloaded libraries', (t) => {
  t.same(preloading('/tmp/a/slow-flush.so'), { LD_PRELOAD: '/tmp/a/slow-flush.so' });
  t.same(preloading('/tmp/a/slow-flush.so', ''), { LD_PRELOAD: '/tmp/a/slow-flush.so' });
  t.same(preloading('/tmp/a/slow-flush.so', '/usr/lib/libjemalloc.so'), {
    LD_PRELOAD: '/tmp/a/slow-flush.so:/usr/lib/libjemalloc.so',
  });
  t.end();
});

import { test } from 'tap';
import { Uuid7 } from '../../src/adapters/system/uuid7.ts';
import { startOfUuid7, timeOfUuid7 } from '../../src/core/uuid-time.ts';

test('the time of an id is that of its creation, and ids are between the starts of two times', (t) => {
  let now = 1_795_000_000_000;
  const ids = new Uuid7(() => now);
  for (let each = 0; each < 1_000; each++) {
    now += each % 7;
    const id = ids.next();
    t.equal(timeOfUuid7(id), now);
    t.ok(startOfUuid7(now) < id && id < startOfUuid7(now + 1));
  }
  t.end();
});

test('times beyond those of ids become the nearest one', (t) => {
  t.equal(startOfUuid7(-5), '00000000-0000');
  t.equal(startOfUuid7(Infinity), 'ffffffff-ffff');
  t.ok(startOfUuid7(0) < '00000000-0000-7000-8000-000000000000');
  t.ok(startOfUuid7(1.5) > '00000000-0001-7fff-bfff-ffffffffffff', 'a part of a millisecond rounds up');
  t.end();
});

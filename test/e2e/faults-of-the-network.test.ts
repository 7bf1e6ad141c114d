import tap, { test } from 'tap';
import { SHORT } from '../faults/plans.ts';

tap.setTimeout(300_000);

const EXTENT = { rounds: 1, mib: 24 };

/** Short form of `npm run faults` (docs/faults.md): asserts that no forbidden result of the fault matrix occurs. */
for (const row of ['F12', 'F16'] as const) {
  test(`${row} of the fault matrix`, async (t) => {
    const { title, lines, violations } = await SHORT[row](EXTENT);
    t.comment(`${title}: ${JSON.stringify(lines)}`);
    t.same(violations, []);
  });
}

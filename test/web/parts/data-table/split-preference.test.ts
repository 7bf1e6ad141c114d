import fc from 'fast-check';
import { test } from 'tap';
import {
  DEFAULT_SPLIT,
  SHARE,
  readSplitPreference,
  shareAfterKey,
  shareFrom,
} from '../../../../web/parts/data-table/split-preference.ts';

test('a stored split view is read, and its width is kept within the limits', async (t) => {
  t.strictSame(readSplitPreference({ isOn: true, share: 40 }), { isOn: true, share: 40 });
  t.strictSame(readSplitPreference({ isOn: false, share: 99 }), { isOn: false, share: SHARE.max });
  for (const invalid of [null, 'on', 40, {}, { isOn: 1, share: 40 }, { isOn: true, share: null }])
    t.equal(readSplitPreference(invalid), null, JSON.stringify(invalid));
});

test('the pane begins at the pointer, within the limits', async (t) => {
  const table = { left: 100, width: 1_000 };
  t.equal(shareFrom(700, table), 40);
  t.equal(shareFrom(100, table), SHARE.max);
  t.equal(shareFrom(1_090, table), SHARE.min);
  t.equal(shareFrom(0, { left: 0, width: 0 }), DEFAULT_SPLIT.share, 'a table without a width');
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: 9_999 }), (x, width) => {
      const share = shareFrom(x, { left: 0, width });
      return Number.isInteger(share) && share >= SHARE.min && share <= SHARE.max;
    }),
  );
});

test('keys on the separator change the width of the pane at the right', async (t) => {
  t.equal(shareAfterKey(50, 'ArrowLeft'), 55);
  t.equal(shareAfterKey(50, 'ArrowRight'), 45);
  t.equal(shareAfterKey(SHARE.max, 'ArrowLeft'), SHARE.max);
  t.equal(shareAfterKey(50, 'Home'), SHARE.min);
  t.equal(shareAfterKey(50, 'End'), SHARE.max);
  t.equal(shareAfterKey(50, 'ArrowUp'), null);
});

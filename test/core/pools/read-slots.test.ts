import { test } from 'tap';
import { readSlots } from '../../../src/core/pools/read-slots.ts';

test('a source supplies a whole number, or JSON with slots', (t) => {
  for (const [text, slots] of [
    ['12', 12],
    [' 0\n', 0],
    ['2147483647', 2_147_483_647],
    ['{"slots": 7}', 7],
    ['{ "slots": 7, "server": "a" }\n', 7],
  ] as const)
    t.strictSame(readSlots(text), { ok: true, slots }, text);
  t.end();
});

test('other output is refused with its beginning', (t) => {
  t.strictSame(readSlots('\n'), { ok: false, reason: 'the output is empty: a whole number was expected' });
  for (const text of [
    '-1',
    '1.5',
    '12 seats',
    '0x10',
    '1e3',
    '2147483648',
    '99999999999',
    '12\n13',
    '[3]',
    '{"slots": "7"}',
    '{"slots": -1}',
    '{"slots": 1.5}',
    '{"seats": 7}',
    '{"slots": 7',
    'null',
  ])
    t.strictSame(
      readSlots(text),
      {
        ok: false,
        reason: `the output is not a whole number from 0 to 2147483647: ${JSON.stringify(text)}`,
      },
      text,
    );
  const long = readSlots('x'.repeat(5000));
  t.ok(!long.ok && long.reason.length < 150, 'a long output is cut');
  t.end();
});

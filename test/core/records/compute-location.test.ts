import { test } from 'tap';
import {
  COMPUTE_LOCATION_NAME,
  computeLocationNameWrong,
} from '../../../src/core/records/compute-location.ts';

void test('validates names of compute locations', (t) => {
  for (const name of [
    'berlin',
    'Berlin-2',
    'a.b:c,d',
    'Zürich',
    '東京',
    '🏔',
    '\\',
    'x'.repeat(255),
    '🏔'.repeat(255),
  ])
    t.equal(computeLocationNameWrong(name), null, name.slice(0, 20));
  const spaces = [' ', 'a b', ' a', 'a ', 'a\tb', 'a\n', '\u00a0a', 'a\u2028b', '\u3000', '\ufeff'];
  const quotes = [`'`, '"', '`', `it's`, '/', 'a/b', '\u0000', 'a\u001b', '\u007f'];
  for (const name of ['', ...spaces, ...quotes])
    t.equal(computeLocationNameWrong(name), COMPUTE_LOCATION_NAME.wrong, encodeURIComponent(name));
  for (const name of ['x'.repeat(256), '🏔'.repeat(256)])
    t.equal(computeLocationNameWrong(name), 'must not have more than 255 characters');
  t.end();
});

import { test } from 'tap';
import { counted, numberText } from '../../../web/parts/number-text.ts';

test('formats a count with its noun', (t) => {
  t.equal(counted(0, 'task'), '0 tasks');
  t.equal(counted(1, 'task'), '1 task');
  t.equal(counted(1_234, 'task'), '1,234 tasks');
  t.equal(counted(1, 'task is', 'tasks are'), '1 task is');
  t.equal(numberText(1_234.56), '1,234.6');
  t.equal(counted(2, 'task is', 'tasks are'), '2 tasks are');
  t.end();
});

import { test } from 'tap';
import { ScriptTally, SCRIPT_LIMITS } from '../../../src/openjd/template/language/script-tally.ts';

void test('the texts of a script have a common limit', (t) => {
  const { operations, characters } = SCRIPT_LIMITS;
  const tally = new ScriptTally();
  t.equal(tally.exceededBy(operations, []), null);
  t.equal(tally.exceededBy(0, ['a']), null);
  t.equal(tally.exceededBy(1, []), 'its expressions take more than 5000000 operations together');
  const half = 'a'.repeat(characters / 2);
  const other = new ScriptTally();
  t.equal(other.exceededBy(1, [half]), null);
  t.equal(other.exceededBy(1, ['', half]), null);
  t.equal(other.exceededBy(1, ['b']), 'its texts have more than 10000000 characters together');
  t.end();
});

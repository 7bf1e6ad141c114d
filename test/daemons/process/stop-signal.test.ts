import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';

const PROGRAM = fileURLToPath(new URL('./programs/signal-during-start.js', import.meta.url));

test('a signal that arrives while the listeners are replaced is not lost', async (t) => {
  t.equal(execFileSync(process.execPath, [PROGRAM], { encoding: 'utf8' }), 'stopping');
});

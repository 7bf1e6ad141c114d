import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readSecret } from '../../../src/adapters/system/secret-file.ts';

test('a secret is the given text, or the line of its file', async (t) => {
  const folder = t.testdir({ plain: 'hunter2', line: 'hunter2\n', windows: 'hunter2\r\n', spaces: ' a b ' });
  t.equal(readSecret('auth.key_file', { text: 'hunter2' }), 'hunter2');
  for (const name of ['plain', 'line', 'windows'])
    t.equal(readSecret('auth.key_file', { file: join(folder, name) }), 'hunter2', name);
  t.equal(readSecret('auth.key_file', { file: join(folder, 'spaces') }), ' a b ');
});

test('a file that is not one line of text stops the start; its content is not shown', async (t) => {
  const folder = t.testdir({ empty: '', blank: '\n', two: 'hunter2\nhunter3\n', control: 'hunter2\u0000' });
  for (const name of ['empty', 'blank', 'two', 'control']) {
    const file = join(folder, name);
    t.throws(() => readSecret('auth.key_file', { file }), {
      message: `auth.key_file: the file ${file} must contain one line of text`,
    });
  }
  const large = join(folder, 'large');
  writeFileSync(large, 'hunter2'.repeat(200_000));
  t.throws(() => readSecret('auth.key_file', { file: large }), {
    message: /^auth\.key_file: .* larger than 1048576 bytes$/,
  });
  const missing = join(folder, 'missing');
  t.throws(() => readSecret('auth.key_file', { file: missing }), {
    message: /^auth\.key_file: .* cannot be used: ENOENT/,
  });
  t.throws(() => readSecret('auth.key_file', { file: folder }), { message: /cannot be used: EISDIR/ });
});

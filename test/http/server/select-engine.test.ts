import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { selectEngine } from '../../../http/server/select-engine.ts';
import { findBinary, PINNED } from '../../../http/server/uws/binary.ts';

const NODE_20 = { platform: 'linux', arch: 'x64', abi: '115', node: 'v20.19.0' };
const NAME = 'uws_linux_x64_115.node';

void test('a binary is used only where it is present with the pinned checksum', (t) => {
  const folder = t.testdir();
  const other = t.testdir({ empty: {} });
  const pinned = { [NAME]: createHash('sha256').update('the binary').digest('hex') };
  const find = (platform = NODE_20): ReturnType<typeof findBinary> =>
    findBinary(platform, [join(other, 'empty'), folder], pinned);

  t.strictSame(find(), { ok: false, reason: `${NAME} of uWebSockets.js is not installed` });
  const file = join(folder, NAME);
  writeFileSync(file, 'the binary');
  t.strictSame(find(), { ok: true, file }, 'the second folder has it');
  writeFileSync(file, 'another binary');
  t.match(find(), { ok: false, reason: `the checksum of ${file} is ` });
  t.strictSame(find({ ...NODE_20, abi: '137', node: 'v24.0.0' }), {
    ok: false,
    reason: 'there is no uWebSockets.js for Node v24.0.0 on linux x64',
  });
  t.end();
});

void test('http.engine selects the engine', (t) => {
  t.match(selectEngine('node'), { engine: { name: 'node' }, isFallback: false });
  const isPinned = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node` in PINNED;
  const automatic = selectEngine('auto');
  t.equal(automatic.engine.name, isPinned ? 'uws' : 'node');
  t.equal(automatic.isFallback, !isPinned);
  if (isPinned) t.equal(selectEngine('uws').engine.name, 'uws');
  else
    t.throws(() => selectEngine('uws'), {
      message: /^http\.engine is uws, but there is no uWebSockets\.js for /,
    });
  t.end();
});

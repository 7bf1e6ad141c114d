import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';

const LOCK = new URL('../../../scripts/lock.js', import.meta.url).href;

/** Starts a process that holds the lock for a while, and writes when it has it. */
const holder = (lock: string, book: string) =>
  spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { appendFileSync } from 'node:fs';
       import { withLock } from ${JSON.stringify(LOCK)};
       await withLock(${JSON.stringify(lock)}, async () => {
         appendFileSync(${JSON.stringify(book)}, 'start ' + process.pid + '\\n');
         await new Promise((done) => setTimeout(done, 300));
         appendFileSync(${JSON.stringify(book)}, 'end ' + process.pid + '\\n');
       });`,
    ],
    { stdio: 'ignore' },
  );

test('processes with the same lock run one after the other', async (t) => {
  const folder = t.testdir();
  const lock = join(folder, 'new-folder/lock');
  const book = join(folder, 'book');
  const holders = [1, 2, 3].map(() => holder(lock, book));
  const codes = await Promise.all(holders.map(async (process) => (await once(process, 'exit'))[0] as number));
  t.same(codes, [0, 0, 0]);
  const lines = readFileSync(book, 'utf8').trimEnd().split('\n');
  t.equal(lines.length, 6);
  for (let at = 0; at < lines.length; at += 2) {
    t.equal(lines[at]?.replace('start', 'end'), lines[at + 1], 'a process ends before the next one starts');
  }
  t.notOk(existsSync(lock), 'the last one removes the lock');
});

test('a lock of a process that no longer runs is taken', async (t) => {
  const folder = t.testdir();
  const lock = join(folder, 'lock');
  const book = join(folder, 'book');
  writeFileSync(lock, String(spawnSync(process.execPath, ['-e', '']).pid));
  t.same(await once(holder(lock, book), 'exit'), [0, null]);
  t.match(readFileSync(book, 'utf8'), /^start \d+\nend \d+\n$/);
});

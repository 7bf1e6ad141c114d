import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';

const PROGRAM = new URL('./programs/log-to-full-disk.js', import.meta.url).pathname;

test('logging to a blocked output stops nothing, uses little memory, and continues when the output is writable', async (t) => {
  for (const format of ['json', 'text']) {
    const file = join(t.testdir({}), `${format}.log`);
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [PROGRAM, format, file], { stdio: ['ignore', 'pipe', full] });
    closeSync(full);
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    const [code] = (await once(child, 'close')) as [number | null];
    t.strictSame({ code, out }, { code: 0, out: 'alive\n' });
    const lines = readFileSync(file, 'utf8').split('\n');
    t.match(lines[0], /line 0\b/, 'buffered records are written first');
    t.match(lines.at(-2), /the disk has room again/);
    t.equal(lines.at(-1), '');
    t.ok(readFileSync(file).length < 5 * 2 ** 20, 'records beyond the buffer are lost');
  }
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';

const HOSTILE = new URL('./programs/log-hostile-text.js', import.meta.url).pathname;
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

test('text of others cannot imitate a line of the log or change the terminal', async (t) => {
  const lines = await linesOf('text');
  t.match(
    lines[0],
    /^\S+Z WARN test: worker "x\\u001b\[2J" sent\\u000a2026-01-01T00:00:00.000Z INFO test: stopped worker="a\\u202eb\\u009b2J"$/,
  );
  t.notMatch(lines.join(''), /[\u0000-\u001f\u007f-\u009f\u202e]/);
});

test('repeated warnings are limited and counted', async (t) => {
  for (const format of ['json', 'text']) {
    const lines = await linesOf(format);
    t.equal(lines.filter((line) => line.includes('is invalid') && !line.includes('not logged')).length, 100);
    const [summary = '', ...others] = lines.filter((line) =>
      line.includes('warnings of one kind were not logged'),
    );
    t.match(
      summary,
      format === 'json'
        ? /"dropped":"900".*"warning":"message 0 is invalid"/
        : / dropped="900" .*warning="message 0 is invalid"/,
    );
    t.same(others, []);
  }
});

/** Returns the lines that the program logs, without line ends. */
async function linesOf(format: string): Promise<readonly string[]> {
  const { stderr } = await promisify(execFile)(process.execPath, [HOSTILE, format]);
  return stderr.trimEnd().split('\n');
}

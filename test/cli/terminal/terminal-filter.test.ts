import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { test } from 'tap';
import { TerminalFilter } from '../../../cli/terminal/terminal-filter.ts';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';
import { answeringService } from '../answering-service.ts';

const RESET = '\u001b[0m';

/** Returns what a terminal gets of texts that are written one after the other. */
function filtered(texts: readonly string[], colors = true): string {
  const filter = new TerminalFilter(colors);
  return texts.map((text) => filter.write(text)).join('') + filter.end();
}

const CASES: readonly (readonly [what: string, written: string, shown: string])[] = [
  ['text, tabs and line ends', 'frame 1\t50 %\r\ndone ü🎬\n', 'frame 1\t50 %\r\ndone ü🎬\n'],
  [
    'colors',
    '\u001b[1;31mred\u001b[m \u001b[38;5;8mgrey',
    `\u001b[1;31mred\u001b[m \u001b[38;5;8mgrey${RESET}`,
  ],
  ['a color by its components', '\u001b[48;2;8;8;8mx', `\u001b[48;2;8;8;8mx${RESET}`],
  ['hidden text', 'a\u001b[8mb\u001b[0;8mc', 'abc'],
  ['a window title', 'a\u001b]0;owned\u0007b', 'ab'],
  ['the clipboard, ended by ST', 'a\u001b]52;c;cm0gLXJm\u001b\\b', 'ab'],
  ['a link', 'a\u001b]8;;http://x\u001b\\b\u001b]8;;\u001b\\c', 'abc'],
  ['a device control string', 'a\u001bP1$r\u001b\\b', 'ab'],
  ['clearing the screen and moving the cursor', 'a\u001b[2J\u001b[1;1H\u001b[?1049hb', 'ab'],
  ['a report request', 'a\u001b[6nb\u001b[>cc', 'abc'],
  ['a character set', 'a\u001b(0b\u001bcd', 'abd'],
  ['8-bit forms', 'a\u009b2Jb\u009d0;owned\u009cc\u0090x\u009cd', 'abcd'],
  ['control characters', 'a\u0000b\u0007c\u0008d\u007fe\u0085f', 'abcdef'],
  ['an unterminated sequence hides at most its line', 'a\u001b]0;owned\nb\u001b[3\nc', 'a\nb\nc'],
  ['an escape in a sequence', 'a\u001b[3\u001b[31mb', `a\u001b[31mb${RESET}`],
  ['an escape in a string', 'a\u001b]0;x\u001b[31my\u0007b', 'ab'],
  ['an overlong sequence', `a\u001b[${'1;'.repeat(100)}mb`, `a${'1;'.repeat(100).slice(65)}mb`],
];

for (const [what, written, shown] of CASES) {
  test(`on a terminal, output of a task shows text and colors: ${what}`, async (t) => {
    t.equal(filtered([written]), shown);
    t.equal(filtered([...written]), shown, 'whatever its parts are');
  });
}

test('without colors no sequence passes', async (t) => {
  t.equal(filtered(['\u001b[31mred\u001b[0m\n'], false), 'red\n');
});

test('any output becomes text and colors, and filtering it again changes nothing', async (t) => {
  const part = fc.oneof(
    fc.constantFrom('\u001b[31m', '\u001b[0;1m', '\u001b[2J'),
    fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0;x',
      '31',
      'm',
      '\u0007',
      '\\',
      '\n',
      '\u009b',
      '\u009d',
      '8',
      ';',
      'P',
      'a',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  let colored = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40, size: 'max' }), (parts) => {
      const shown = filtered(parts);
      if (shown.includes('\u001b')) colored++;
      const rest = shown.replaceAll(/\u001b\[[0-9;:]*m/g, '');
      return (
        !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(rest) &&
        filtered([parts.join('')]) === shown &&
        filtered([shown]).replace(/(\u001b\[0m)+$/, '') === shown.replace(/(\u001b\[0m)+$/, '')
      );
    }),
    { numRuns: 3000 },
  );
  t.ok(colored > 50, `${colored} outputs had colors`);
});

test('callsheet logs filters on a terminal, and not for a file or with --raw', async (t) => {
  const data = '\u001b]0;owned\u0007\u001b[31mred\n';
  const chunk = { attempt_id: 'a1', stream: 'stdout', data, bus_seq: 1 };
  const answers = { body: { items: [chunk], total: 1 } };
  const end = { body: { items: [], total: 1 } };
  const id = '01936ad0-0000-7000-8000-000000000001-0-0';
  const service = await answeringService({
    [`GET /api/v1/tasks/${id}`]: [{ body: { id } }],
    [`GET /api/v1/tasks/${id}/logs`]: [answers, end, answers, end, answers, end],
  });
  t.teardown(() => service.close());
  const command = fileURLToPath(new URL('bin/callsheet.js', packageRoot));
  const logs = [process.execPath, command, 'logs', id, '--url', service.url];
  const env = { PATH: process.env['PATH'], TERM: 'xterm' };
  const [program = '', ...args] = logs;
  const piped = await promisify(execFile)(program, args, { env });
  t.equal(piped.stdout, data, 'a pipe gets everything');
  const onTerminal = async (...options: readonly string[]): Promise<string> => {
    const line = [...logs, ...options].map((word) => `'${word}'`).join(' ');
    return (await promisify(execFile)('script', ['-qec', line, '/dev/null'], { env })).stdout;
  };
  t.equal(await onTerminal(), `\u001b[31mred\r\n${RESET}`);
  t.equal(await onTerminal('--raw'), data.replace('\n', '\r\n'));
});

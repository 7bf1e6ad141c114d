import { test } from 'tap';
import { LogTail } from '../../../cli/jobs/failing-log.ts';

type Chunk = Parameters<LogTail['push']>[0];
const chunk = (data: string, stream = 'stdout', attempt = 'a1'): Chunk => ({
  attempt_id: attempt,
  stream,
  data,
});

const tailOf = (...chunks: readonly Chunk[]): readonly string[] => {
  const tail = new LogTail();
  for (const one of chunks) tail.push(one);
  return tail.lines();
};

test('the last lines are those of the newest attempt', async (t) => {
  t.same(tailOf(), []);
  t.same(tailOf(chunk('one\n'), chunk('half'), chunk('two\n', 'stdout', 'a2')), ['two']);
});

test('lines that arrive in pieces are joined by stream', async (t) => {
  t.same(tailOf(chunk('be'), chunk('oops\n', 'stderr'), chunk('gin\nend')), ['oops', 'begin', 'end']);
});

test('the number of lines and their length are limited', async (t) => {
  const many = Array.from({ length: 5000 }, (_, at) => `line ${at}`).join('\n');
  const lines = tailOf(chunk(many), chunk('\n'));
  t.equal(lines.length, 20);
  t.equal(lines[0], 'line 4980');
  t.equal(lines.at(-1), 'line 4999');
  const [long = ''] = tailOf(chunk('x'.repeat(1_000_000)));
  t.equal(long.length, 500);
  t.ok(long.endsWith('…'));
});

test('colors, progress lines and control characters are removed', async (t) => {
  t.same(tailOf(chunk('\u001b[31mred\u001b[0m\t1\r\n10%\r50%\r100%\nbell\u0007\n')), [
    'red    1',
    '100%',
    'bell\ufffd',
  ]);
});

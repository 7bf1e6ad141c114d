import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';
import { textWidth } from '../../../cli/terminal/text-width.ts';
import { answeringService } from '../answering-service.ts';

/** Runs the command on a real terminal, created by `script` of util-linux. */
const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));
const skip = spawnSync('script', ['--version']).status === 0 ? false : 'script (util-linux) is not installed';

const ID = '0198a1c2-1111-7111-8111-111111111111';
const COUNTS = { total: 4, running: 1, assigned: 0, succeeded: 1, failed: 0, canceled: 0 };
const DONE = { ...COUNTS, running: 0, succeeded: 4 };
const JOB = {
  id: ID,
  name: '東京の長い長い長いショット',
  status: 'running',
  owner: 'ann',
  project: '',
  farm_id: ID,
  queue_id: 'night',
  priority: 50,
  created_at: '2026-01-02T03:04:05.678Z',
  task_counts: COUNTS,
  steps: [{ name: 'Render', status: 'running', task_counts: COUNTS }],
};
const ENDED = {
  ...JOB,
  status: 'completed',
  task_counts: DONE,
  steps: [{ name: 'Render', status: 'completed', task_counts: DONE }],
};

/** Returns the combined standard output and standard error on a terminal of that width. */
async function seen(
  args: readonly string[],
  columns: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const line = `stty cols ${columns} rows 12; exec '${process.execPath}' '${COMMAND}' ${args.join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', SHELL: '/bin/sh', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  await once(child, 'close');
  return text.replaceAll('\r\n', '\n');
}

const plain = (text: string): string => text.replaceAll(/\u001b\[[0-9]*m/g, '');

test('a table fits the terminal and has colors unless they are turned off', { skip }, async (t) => {
  const service = await answeringService({
    'GET /api/v1/farms': [{ body: [] }],
    'GET /api/v1/queues': [{ body: { items: [], total: 0 } }],
    'GET /api/v1/jobs': [{ body: { items: [JOB], total: 1 } }],
  });
  t.teardown(() => service.close());
  const SVC_URL = service.url;
  for (const columns of [120, 80, 40, 24]) {
    const text = await seen(['jobs'], columns, { SVC_URL });
    const lines = plain(text).trimEnd().split('\n');
    t.equal(lines.length, 3, `${columns}`);
    t.equal(lines.pop(), '1 job', 'the count follows the table');
    for (const line of lines) t.ok(textWidth(line) <= columns, `${columns}: ${line}`);
    if (columns >= 80) t.match(text, /\u001b\[36mrunning/, 'a status is colored');
  }
  for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    t.notMatch(await seen(['jobs'], 120, { SVC_URL, ...environment }), /\u001b/);
  }
});

test('the progress of a watched job is redrawn in place and shows its end', { skip }, async (t) => {
  const service = await answeringService({ [`GET /api/v1/jobs/${ID}`]: [{ body: JOB }, { body: ENDED }] });
  t.teardown(() => service.close());
  const text = await seen(['job', ID, 'watch'], 60, { SVC_URL: service.url, NO_COLOR: '1' });
  t.equal(
    text,
    [
      `\r${JOB.name}: 1/4, 1 running, running\u001b[K\n`,
      `Render [${'█'.repeat(6)}${'░'.repeat(20)}] 1/4, 1 running, running\u001b[K\u001b[J`,
      `\r\u001b[1A${JOB.name}: 4/4, completed\u001b[K\n`,
      `Render [${'█'.repeat(35)}] 4/4, completed\u001b[K\u001b[J\n`,
      `${JOB.name} completed\n`,
    ].join(''),
  );
});

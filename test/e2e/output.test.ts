import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { ContractFarm, Gate } from '../kit/contract-bench.ts';
import { freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

const folder = await mkdtemp(join(tmpdir(), 'callsheet-output-'));
/** Source of the secrets: the text of a template is visible to users. */
const vault = await mkdtemp(join(tmpdir(), 'callsheet-vault-'));
const service = await startService({
  folder,
  httpPort: await freePort(),
  busPort: await freePort(),
  flags: ['--scheduler-max-attempts=1', '--log-level=debug'],
});
const { api } = service;
const farm = await ContractFarm.make(service, 'output');
tap.teardown(async () => {
  await farm.stop();
  await service.daemon.kill('SIGTERM');
  if (tap.passing()) {
    for (const each of [folder, vault]) await rm(each, { recursive: true, force: true });
  } else tap.comment(service.daemon.log().slice(-4000));
});
await farm.worker('one', '--log-level=debug');

const TOKEN = 't0k3n-5up3r-s3cr3t-0123456789';
const KEY = ['-----BEGIN a1b2c3-----', 'middle-d4e5f6', '-----END g7h8i9-----'];
await writeFile(join(vault, 'token'), TOKEN);
await writeFile(join(vault, 'key'), `openjd_redacted_env: ${JSON.stringify(`KEY=${KEY.join('\n')}`)}\n`);

const shell = (line: string): object => ({ command: 'bash', args: ['-c', line] });

interface Spec {
  readonly enter: string;
  readonly run: string;
  readonly exit?: string;
  readonly extensions?: readonly string[];
}

const jobOf = ({ enter, run, exit = 'true', extensions = [] }: Spec): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Output',
  ...(extensions.length > 0 && { extensions }),
  jobEnvironments: [{ name: 'Env', script: { actions: { onEnter: shell(enter), onExit: shell(exit) } } }],
  steps: [{ name: 'Step', script: { actions: { onRun: shell(run) } } }],
});

interface Told {
  readonly id: string;
  readonly status: string;
  readonly progress?: number;
  readonly status_message?: string;
  readonly failure_reason?: string;
  readonly error_line?: string;
}

const firstTask = async (job: string): Promise<Told> => await farm.task(job);

/** Returns the files below a folder that contain one of the secrets. */
async function leaks(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const content = await readFile(file).catch(() => Buffer.alloc(0));
    if ([TOKEN, ...KEY].some((secret) => content.includes(secret))) found.push(file);
  }
  return found;
}

await test('redacted values appear in no log, message, diagnostic record or file', async (t) => {
  const gate = new Gate(folder, 'gate');
  const job = await farm.submit(
    jobOf({
      extensions: ['REDACTED_ENV_VARS'],
      enter: `set -x; echo "openjd_redacted_env: TOKEN=$(cat ${vault}/token)"; cat ${vault}/key; cat ${vault}/token`,
      run: [
        'echo "length ${#TOKEN} ${#KEY}"',
        'printf "%s" "${TOKEN:0:7}"; sleep 0.2; printf "%s\\n" "${TOKEN:7}"',
        'head -c 65525 /dev/zero | tr "\\0" x; echo "$TOKEN"',
        'echo "$KEY" >&2; echo "$TOKEN$TOKEN" >&2',
        'echo "openjd_progress: 41.5"; echo "openjd_status: uses $TOKEN"',
        gate.wait,
        'echo "openjd_progress: 80"; echo "openjd_fail: no entry with $TOKEN"; exit 3',
      ].join('; '),
      exit: 'echo "bye $TOKEN"; exit 4',
    }),
  );
  const running = await until('the progress of the task has arrived', async () => {
    const task = await firstTask(job);
    return task.progress === undefined || task.status_message === undefined ? null : task;
  });
  t.match(running, { status: 'running', progress: 41.5, status_message: 'uses ********' });
  t.same(await leaks(folder), [], 'while the task runs');
  gate.open();
  await farm.waitForJobStatus(job, 'failed');
  const task = await firstTask(job);
  t.match(task, {
    status: 'failed',
    failure_reason: 'no entry with ********; environment Env, onExit: failed (exit 4)',
    error_line: 'openjd_fail: no entry with ********',
    progress: 80,
    status_message: 'uses ********',
  });
  t.same(
    await api.must('GET', `/api/v1/tasks/${task.id}`),
    task,
    'the single task equals its entry in the list',
  );
  const [attempt] = await farm.attempts(task.id);
  t.match(attempt?.failure_excerpt, /\nopenjd_fail: no entry with [*]{8}$/);
  const failures = await api.must('GET', `/api/v1/jobs/${job}/failures`);
  t.match(failures, { groups: [{ reason: task.failure_reason, error_line: task.error_line, count: 1 }] });
  const log = await until('the log is complete', async () => {
    const text = await api.log(task.id);
    return text.includes('bye') ? text : null;
  });
  for (const line of [
    'openjd_redacted_env: TOKEN=********',
    'openjd_redacted_env: "KEY=********',
    `length ${TOKEN.length} ${KEY.join('\n').length}`,
    'openjd_status: uses ********',
    'openjd_fail: no entry with ********',
    'bye ********',
    '****************',
  ]) {
    t.ok(log.split('\n').includes(line), line);
  }
  t.match(log, /^x{65525}[*]{8}$/m, 'a cut line is redacted');
  const records = await api.call('GET', '/api/v1/diagnostics?limit=1000');
  const attempts = await farm.attempts(task.id);
  for (const [what, text] of Object.entries({ log, attempts, records: records.body })) {
    const all = typeof text === 'string' ? text : JSON.stringify(text);
    for (const secret of [TOKEN, TOKEN.slice(0, 12), ...KEY])
      t.notOk(all.includes(secret), `${what}: ${secret}`);
  }
  t.same(await leaks(folder), [], 'in the folders of the service, the bus and the worker');
});

await test('an invalid directive fails the task and does not reveal the value to redact', async (t) => {
  const job = await farm.submit(
    jobOf({ enter: `echo " openjd_redacted_env: TOKEN=$(cat ${vault}/token)"; sleep 60`, run: 'true' }),
  );
  await farm.waitForJobStatus(job, 'failed');
  const { failure_reason: reason, ...task } = await firstTask(job);
  t.match(
    reason,
    /^environment Env, onEnter: Open Job Description: Incorrectly formatted openjd env command \( openjd_redacted_env: [*]{8}/,
  );
  t.notOk('progress' in task || 'status_message' in task, 'the failure does not reveal the value');
  t.same(await leaks(folder), []);
});

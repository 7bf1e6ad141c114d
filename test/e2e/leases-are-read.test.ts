import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { openExistingStore } from '../../src/adapters/lmdb/existing-store.ts';
import { readJournal } from '../../src/adapters/lmdb/journal.ts';
import { readJournalPass } from '../../src/adapters/lmdb/store-format.ts';
import type { AttemptView, JobView, Page, TaskView } from '../kit/api-client.ts';
import { freePort, startService, type RunningService } from '../kit/daemons.ts';
import { ScriptedWorker, type Spoken, type SpokenLeases } from '../kit/scripted-worker.ts';
import { rounds } from '../kit/rounds.ts';

tap.setTimeout(180_000);

/**
 * A lease reply is sent when the lease is on disk, a moment before the tables show it (docs/decisions/journal.md). No
 * client may notice the delay: neither one that asks immediately nor one that asks after the service was killed in that
 * moment.
 */
const ROUNDS = rounds(50, 200);
const KILLS = rounds(2, 5);
const OTHER_CORES = 8;

const template = (tasks: number): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Leased',
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
});

const ended = (attempt: string): Spoken => ({
  attempt_id: attempt,
  status: 'succeeded',
  exit_code: 0,
  timestamp: new Date().toISOString(),
  session_id: 's1',
});

const taskOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf('-'));
const attemptsOf = ({ assignments }: SpokenLeases): string[] => assignments.map((each) => each.attempt_id);

/** A worker that only requests tasks and immediately reports their end. */
class Turnstile {
  /** Assigned attempts whose end is not reported or not confirmed. */
  open: string[] = [];
  readonly got: string[] = [];
  readonly confirmed: string[] = [];
  private readonly worker: ScriptedWorker;

  constructor(worker: ScriptedWorker) {
    this.worker = worker;
  }

  async turn(timeoutMs?: number): Promise<void> {
    const reports = this.open.map(ended);
    const reply = await this.worker.lease(reports.length === 0 ? {} : { reports }, timeoutMs);
    const confirmed = reply.confirmed ?? [];
    this.confirmed.push(...confirmed);
    const isConfirmed = new Set(confirmed);
    this.open = [...this.open.filter((attempt) => !isConfirmed.has(attempt)), ...attemptsOf(reply)];
    this.got.push(...attemptsOf(reply));
  }
}

/** Returns the number of change sets that the journal of a killed service has and its tables lack. */
async function setsInJournal(dataDirectory: string): Promise<number> {
  const directory = join(dataDirectory, 'state');
  const { environment, format } = await openExistingStore(directory, 'state');
  const sets = readJournal(directory, format.storeId, readJournalPass(environment));
  await environment.close();
  return sets.length;
}

async function serve(t: Test): Promise<{ current: RunningService }> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-leases-'));
  // Scripted workers send no heartbeats.
  const flags = ['--scheduler-max-attempts=1', '--scheduler-heartbeat-timeout=1h'];
  const options = { folder, httpPort: await freePort(), busPort: await freePort(), flags };
  const service = { current: await startService(options) };
  t.teardown(async () => {
    await service.current.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.current.daemon.log().slice(-4000));
  });
  return service;
}

test(`every client reads a lease immediately after its reply, ${ROUNDS} times`, async (t) => {
  const { current: service } = await serve(t);
  const { api } = service;
  const show = await api.makeFarm('show');
  const other = await api.makeFarm('other');
  const worker = await ScriptedWorker.start(service, 'asked', 1, 'show');
  const loading = await ScriptedWorker.start(service, 'loading', OTHER_CORES, 'other');
  t.teardown(async () => {
    await worker.close();
    await loading.close();
  });
  const { body: job } = await show.submit(template(ROUNDS + 1));
  await other.submit(template(50_000));
  const load = new Turnstile(loading);
  let isLoaded = true;
  const loaded = (async (): Promise<void> => {
    while (isLoaded) await load.turn();
  })();

  const task = (id: string): Promise<TaskView> => api.must<TaskView>('GET', `/api/v1/tasks/${id}`);
  const counts = async (): Promise<JobView['task_counts']> => (await api.job(job.id)).task_counts;
  const list = (): Promise<Page<TaskView>> =>
    api.must<Page<TaskView>>('GET', `/api/v1/jobs/${job.id}/tasks?limit=1000`);
  const all = await list();
  let previous: string | null = null;
  for (let round = 0; round < ROUNDS; round++) {
    const next = all.items[round]?.id ?? '';
    // Responses that are already known are skipped from now on.
    await Promise.all([task(next), counts(), list(), api.attempts(next)]);
    const reply: SpokenLeases = await worker.lease(previous === null ? {} : { reports: [ended(previous)] });
    const [attempt = ''] = attemptsOf(reply);
    const [seen, seenCounts, seenList, attempts, seenBefore] = await Promise.all([
      task(taskOf(attempt)),
      counts(),
      list(),
      api.attempts(taskOf(attempt)),
      previous === null ? null : task(taskOf(previous)),
    ]);
    const about = `round ${round}`;
    const found = {
      confirmed: reply.confirmed ?? null,
      leased: taskOf(attempt),
      status: seen.status,
      worker: seen.assigned_worker_id,
      attempts: attempts.map((each: AttemptView) => [each.attempt_number, each.status, each.worker_id]),
      counts: [seenCounts.ready, seenCounts.assigned + seenCounts.running, seenCounts.succeeded],
      listed: seenList.items.slice(Math.max(0, round - 1), round + 2).map(({ status }) => status),
      before: seenBefore?.status ?? null,
    };
    const expected = {
      confirmed: previous === null ? null : [previous],
      leased: next,
      status: 'assigned',
      worker: worker.workerId,
      attempts: [[1, 'running', worker.workerId]],
      counts: [ROUNDS - round, 1, round],
      listed: [...(round === 0 ? [] : ['succeeded']), 'assigned', 'ready'],
      before: previous === null ? null : 'succeeded',
    };
    t.strictSame(found, expected, about);
    if (!t.passing()) break;
    previous = attempt;
  }
  isLoaded = false;
  await loaded;
  t.ok(load.got.length > ROUNDS, `${load.got.length} tasks were leased to the other worker in the meantime`);
});

test(`after kill -9 the next start has every answered lease and every confirmed end, ${KILLS} times`, async (t) => {
  const service = await serve(t);
  const farm = await service.current.api.makeFarm('show');
  await farm.submit(template(20_000));
  let worker = await ScriptedWorker.start(service.current, 'spoken', OTHER_CORES);
  t.teardown(() => worker.close());
  let open: readonly string[] = [];
  let inJournal = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const turnstile: Turnstile = new Turnstile(worker);
    turnstile.open = [...open];
    for (let turns = 0; turns < 20 + kill * 7; turns++) await turnstile.turn();
    const killed = service.current.daemon.kill();
    await worker.close();
    await killed;
    inJournal += await setsInJournal(join(service.current.folder, 'data'));
    service.current = await startService(service.current);
    const { api } = service.current;
    const tasks = await api.tasks(
      (await api.must<Page<JobView>>('GET', '/api/v1/jobs')).items[0]?.id ?? 'the job is missing',
    );
    const statusOf = new Map(tasks.map(({ id, status }) => [id, status]));
    const confirmed = new Set(turnstile.confirmed);
    const lost = turnstile.got.filter((each) => statusOf.get(taskOf(each)) === 'ready');
    t.strictSame(lost, [], `all ${turnstile.got.length} leases are present`);
    const forgotten = [...confirmed].filter((each) => statusOf.get(taskOf(each)) !== 'succeeded');
    t.strictSame(forgotten, [], `all ${confirmed.size} ends are present`);
    const newest = turnstile.got.slice(-OTHER_CORES);
    for (const attempt of newest) {
      const [found] = await api.attempts(taskOf(attempt));
      t.match(found, { attempt_number: 1, worker_id: worker.workerId }, attempt);
    }
    worker = await worker.reconnect(service.current.busPort);
    t.match(await worker.heartbeat(turnstile.open), { type: 'alive', closed: [] }, 'open attempts stay open');
    open = turnstile.open;
  }
  t.ok(inJournal > 0, `${inJournal} change sets were only in the journal`);
});

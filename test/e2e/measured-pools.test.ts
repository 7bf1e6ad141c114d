import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(180_000);

/** A job of three tasks that hold a slot until a file exists. */
const template = (folder: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Licensed',
  steps: [
    {
      name: 'S',
      hostRequirements: {
        amounts: [
          { name: 'amount.worker.vcpu', min: 1 },
          { name: 'amount.worker.usagepool.seats', min: 1 },
        ],
      },
      parameterSpace: { taskParameterDefinitions: [{ name: 'F', type: 'INT', range: '1-3' }] },
      script: {
        actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}'] } },
        embeddedFiles: [
          {
            name: 'Run',
            type: 'TEXT',
            data: `until [ -e '${folder}/free' ]; do sleep 0.1; done\n`,
          },
        ],
      },
    },
  ],
});

interface Pool {
  readonly id: string;
  readonly name: string;
  readonly in_use: number;
  readonly available: number;
  readonly effective_slots?: number;
  readonly measured_slots?: number;
  readonly measured_at?: string;
  readonly measured_stale?: boolean;
  readonly measured_error?: string;
}

/** A source of slots over HTTP. Does not answer while `body` is null. */
class SlotServer {
  readonly url: string;
  readonly #server: Server;
  body: string | null = '4';
  status = 200;

  static async start(): Promise<SlotServer> {
    const made: { slots?: SlotServer } = {};
    const server = createServer((_request, response) => {
      const { body = null, status = 200 } = made.slots ?? {};
      if (body !== null) response.writeHead(status).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    made.slots = new SlotServer(server);
    return made.slots;
  }

  private constructor(server: Server) {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    this.#server = server;
    this.url = `http://127.0.0.1:${address.port}/seats?key=secret`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

await test('a command and a URL supply the slots of usage pools', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-measured-'));
  const slots = await SlotServer.start();
  const script = join(folder, 'seats.sh');
  /** Replaces the script at once: a running question has the old or the new one. */
  const write = async (body: string): Promise<void> => {
    await writeFile(`${script}.new`, body);
    await rename(`${script}.new`, script);
  };
  await write('echo 1\n');
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [
      `--pools-reconcile=Seats=sh ${script},web=${slots.url},absent=echo 1`,
      '--pools-reconcile-interval=1s',
      '--pools-reconcile-timeout=2s',
      '--pools-reconcile-max-age=6s',
    ],
  });
  const farm = await service.api.makeFarm('north');
  const worker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`, '--worker-cpus=4']);
  const poolNamed = async (name: string): Promise<Pool> => {
    const pools = await service.api.must<Pool[]>('GET', '/api/v1/usage-pools');
    const pool = pools.find((each) => each.name === name);
    if (pool === undefined) throw new Error(`there is no pool ${name}`);
    return pool;
  };
  const untilPool = (what: string, name: string, isMet: (pool: Pool) => boolean): Promise<Pool> =>
    until(what, async () => {
      const pool = await poolNamed(name);
      return isMet(pool) ? pool : null;
    });
  try {
    for (const name of ['seats', 'web'])
      await service.api.must('POST', '/api/v1/usage-pools', { name, max_concurrent: 3 });
    t.match(await untilPool('the command has answered', 'seats', (pool) => pool.measured_slots === 1), {
      effective_slots: 1,
      available: 1,
      measured_stale: false,
      measured_at: /^20/,
    });
    t.match(await untilPool('the server has answered', 'web', (pool) => pool.measured_slots === 4), {
      effective_slots: 3,
      available: 3,
    });
    const { body: job } = await farm.submit(template(folder));
    await untilPool('one task runs', 'seats', (pool) => pool.in_use === 1);
    const tasks = await service.api.tasks(job.id);
    const waiting = tasks.find(({ status }) => status === 'ready');
    t.match(await service.api.must('GET', `/api/v1/tasks/${waiting?.id ?? ''}/explain`), {
      summary:
        /^Usage pool seats is at capacity: 1 of 1 slot is taken \(others use the rest of its 3, as measured \d+ s ago\)/,
      gates: [{ gate: 'usage_pool', limit: 1, max_concurrent: 3, measured_at: /^20/ }],
    });
    const cli = (...args: string[]) => runCallsheet([...args, '--url', service.api.url]);
    const listed = await cli('pools', '-o', 'wide');
    t.equal(listed.code, 0, listed.err);
    t.match(listed.out, /MEASURED +MEASURED AT/);
    t.match(listed.out, /seats .*1\/1/);
    await write('echo 2\n');
    await untilPool('the second task runs', 'seats', (pool) => pool.in_use === 2);
    await write('echo broken; echo hidden >&2\n');
    const failed = await untilPool(
      'garbage is an error',
      'seats',
      (pool) => pool.measured_error?.includes('broken') === true,
    );
    t.match(failed.measured_error, /not a whole number from 0 to 2147483647: "broken"/);
    const stale = await untilPool('the value is too old', 'seats', (pool) => pool.measured_stale === true);
    t.match(stale, { effective_slots: 3, measured_slots: 2 });
    await untilPool('the configured slots apply', 'seats', (pool) => pool.in_use === 3);
    await write('echo 1\n');
    const again = await untilPool('it has recovered', 'seats', (pool) => pool.measured_error === undefined);
    t.match(again, { measured_slots: 1, effective_slots: 1, in_use: 3, available: 0, measured_stale: false });

    slots.status = 503;
    t.match(
      await untilPool('the server fails', 'web', (pool) => pool.measured_error?.includes('status') === true),
      {
        measured_error: 'the response has status 503 instead of 200',
      },
    );
    slots.body = null;
    await untilPool('no answer', 'web', (pool) => pool.measured_error === 'no answer within 2 s');
    Object.assign(slots, { body: '{"slots": 0}', status: 200 });
    t.match(await untilPool('it has recovered', 'web', (pool) => pool.measured_slots === 0), {
      effective_slots: 0,
      available: 0,
    });
    await writeFile(join(folder, 'free'), '');
    await until('the job has completed', async () => (await service.api.job(job.id)).status === 'completed');
    const log = service.daemon.log();
    t.match(log, /pools.reconcile names a usage pool that does not exist.*absent/);
    t.match(log, /could not be measured.*hidden/);
    t.notMatch(log, /key=secret/);

    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    t.match(await service.daemon.ended, { code: 0 });
    const { httpPort, busPort } = service;
    const without = await startService({ folder, httpPort, busPort });
    try {
      const left = await untilPool('a pool without a source forgets it', 'web', (pool) => {
        return pool.measured_slots === undefined;
      });
      t.match(left, { available: 3 });
      t.notOk('effective_slots' in left);
    } finally {
      await without.daemon.kill('SIGTERM');
    }
  } finally {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await slots.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

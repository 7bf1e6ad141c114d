import { randomUUID } from 'node:crypto';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { reportTail } from './lease-request-frame.ts';
import { anonymousIdentity } from './identity.ts';
import { joinWorkers } from './join-workers.ts';
import { LoadWorker, nameOf, type Swarm } from './load-worker.ts';
import { Reconnections } from './reconnections.ts';
import { ScannedReply } from './scan-lease-reply.ts';
import type { Load, SwarmCommand, SwarmNotice, SwarmOptions } from './swarm-protocol.ts';
import { Tally } from './tally.ts';

/** Process of a swarm (swarm.ts starts it): workers with a connection each, on one thread. */

/** Maximum number of connections, and of registrations, in progress. */
const AT_ONCE = 100;
const HEARTBEAT_MS = 5_000;
/** At each tick, this share of the workers sends a heartbeat, and the time in reports is updated. */
const BEATS = 50;
const PACE_MS = 1;
/** Maximum wait for the last replies of a load, and for the last messages. */
const DRAIN_MS = 3_000;
const SETTLE_MS = 200;

const tell = (notice: SwarmNotice): void => {
  process.send?.(notice);
};

let workers: LoadWorker[] = [];
let swarm: Swarm | null = null;
const reconnections = new Reconnections();

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reports the reason and ends: figures of a swarm with a failed worker are worthless. */
function fail(error: unknown): void {
  const notice: SwarmNotice = {
    type: 'failed',
    reason: error instanceof Error ? error.message : String(error),
  };
  process.send?.(notice, () => process.exit(1));
}

async function start(
  busPorts: readonly number[],
  count: number,
  cores: number,
  { echoSeed, joinToken, reconnects, namePrefix }: SwarmOptions,
): Promise<void> {
  const startedAt = performance.now();
  const sessionId = randomUUID();
  const made: Swarm = {
    busPorts,
    namePrefix,
    echoSeed,
    cores,
    tally: new Tally(),
    sessionId,
    scanned: new ScannedReply(WIRE_LIMITS.reportsPerRequest),
    tail: reportTail(sessionId),
    reports: 'ride', // wording-ok: value of --reports
    free: () => undefined,
    echoed: () => undefined,
    failed: fail,
    lost: reconnects ? reconnections.lost : null,
  };
  swarm = made;
  const names = Array.from({ length: count }, (_unused, index) => nameOf(namePrefix, index));
  const identities =
    joinToken === null
      ? names.map(() => anonymousIdentity())
      : await joinWorkers(busPorts[0] ?? 0, joinToken, names);
  const joinedAt = performance.now();
  workers = identities.map((identity, index) => new LoadWorker(index, made, identity));
  for (let first = 0; first < count; first += AT_ONCE) {
    const some = workers.slice(first, first + AT_ONCE);
    await Promise.all(some.map((worker) => worker.connect()));
    await Promise.all(some.map((worker) => worker.register()));
  }
  let turn = 0;
  setInterval(() => {
    made.tail = reportTail(sessionId);
    for (let index = turn; index < workers.length; index += BEATS) workers[index]?.beat();
    turn = (turn + 1) % BEATS;
  }, HEARTBEAT_MS / BEATS);
  tell({ type: 'ready', joinMs: joinedAt - startedAt, registerMs: performance.now() - joinedAt });
}

/** Starts a load. Returns the function that ends it. */
function begin(load: Load, of: Swarm): () => void {
  switch (load.kind) {
    case 'echo':
      of.echoed = (worker) => worker.askEcho();
      for (const worker of workers) worker.prepareEcho(load.bytes);
      for (const worker of workers) worker.askEcho();
      return () => {
        of.echoed = () => undefined;
      };
    case 'closed':
    case 'parked':
      of.reports = load.kind === 'closed' ? load.reports : 'ride'; // wording-ok: value of --reports
      of.free = (worker) => worker.ask(performance.now());
      for (const worker of workers) worker.ask(performance.now());
      return () => {
        of.free = () => undefined;
      };
    case 'offered':
      of.reports = load.reports;
      return beginOffered(load.perSecond, of);
  }
}

/**
 * Sends requests at even intervals, each by the worker that has been free for longest. If none is free, the request
 * waits and its latency counts.
 */
function beginOffered(perSecond: number, of: Swarm): () => void {
  const distanceMs = 1000 / perSecond;
  const free = new WorkerQueue(workers.filter((worker) => !worker.isAsking));
  let nextAt = performance.now();
  const send = (): void => {
    const now = performance.now();
    while (nextAt <= now) {
      const worker = free.take();
      if (worker === null) return;
      worker.ask(nextAt);
      nextAt += distanceMs;
    }
  };
  of.free = (worker) => {
    free.put(worker);
    send();
  };
  const pacer = setInterval(send, PACE_MS);
  return () => {
    clearInterval(pacer);
    of.free = () => undefined;
  };
}

/** First in, first out, in a ring with space for every worker. */
class WorkerQueue {
  private readonly ring: (LoadWorker | null)[];
  private head = 0;
  private count = 0;

  constructor(first: readonly LoadWorker[]) {
    this.ring = Array.from({ length: workers.length }, () => null);
    for (const worker of first) this.put(worker);
  }

  put(worker: LoadWorker): void {
    this.ring[(this.head + this.count++) % this.ring.length] = worker;
  }

  take(): LoadWorker | null {
    if (this.count === 0) return null;
    const worker = this.ring[this.head] ?? null;
    this.head = (this.head + 1) % this.ring.length;
    this.count--;
    return worker;
  }
}

async function measure(load: Load, warmUpMs: number, measureMs: number): Promise<void> {
  if (swarm === null) throw new Error('the swarm has not been started');
  const end = begin(load, swarm);
  await pause(warmUpMs);
  tell({ type: 'window', at: 'begin' });
  swarm.tally.begin();
  await pause(measureMs);
  const figures = swarm.tally.end();
  tell({ type: 'window', at: 'end' });
  end();
  await drain(load);
  tell({ type: 'measured', figures });
}

/** Waits for the last replies; afterwards nothing of the swarm is open. Parked workers stay parked. */
async function drain(load: Load): Promise<void> {
  const until = performance.now() + DRAIN_MS;
  while (load.kind !== 'parked' && performance.now() < until && workers.some((each) => each.isAsking)) {
    await pause(SETTLE_MS / 10);
  }
  for (const worker of workers) worker.flushReports();
  await pause(SETTLE_MS);
}

async function obey(command: SwarmCommand): Promise<void> {
  switch (command.type) {
    case 'start':
      await start(command.busPorts, command.workers, command.cores, command.options);
      return;
    case 'measure':
      await measure(command.load, command.warmUpMs, command.measureMs);
      return;
    case 'reconnect':
      tell({ type: 'reconnected', figures: await reconnections.all(workers.length) });
      return;
    case 'stop':
      for (const worker of workers) worker.stop();
      process.exit();
  }
}

process.on('message', (command: SwarmCommand) => {
  obey(command).catch(fail);
});
// The process is not needed without the one that started it.
process.on('disconnect', () => process.exit());

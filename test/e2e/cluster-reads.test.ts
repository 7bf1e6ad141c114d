import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { ApiClient } from '../kit/api-client.ts';
import { ClusterNodes, type ClusterMember } from '../kit/cluster-nodes.ts';
import { clusterSkip } from '../kit/managed-cluster.ts';
import { until } from '../kit/until.ts';

/**
 * Clients of a cluster write through one node and read from others, while its owner is killed or paused. A read that is not marked as
 * stale must show everything that any client has received before it was sent (docs/decisions/any-node-serves.md).
 */

tap.setTimeout(240_000);

const skip = await clusterSkip();

const template = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'watched',
  steps: [{ name: 'S', script: { actions: { onRun: { command: 'true' } } } }],
};

/** Reads and writes the priority of a job through all nodes until `stop`. */
class Clients {
  readonly counts = { acknowledged: 0, refused: 0, reads: 0, stale: 0, failed: 0 };
  /** Reads without a result, by status and reason. */
  readonly failures = new Map<string, number>();
  /** Highest priority that a client has received. */
  #floor = 0;
  #written = 0;
  readonly #t: Test;
  readonly #apis: () => readonly ApiClient[];
  readonly #job: string;
  #isStopped = false;

  constructor(t: Test, apis: () => readonly ApiClient[], job: string) {
    this.#t = t;
    this.#apis = apis;
    this.#job = job;
  }

  async run(): Promise<void> {
    const readers = Array.from({ length: 4 }, (_, reader) => this.#read(reader));
    await Promise.all([this.#write(), ...readers]);
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #write(): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const priority = ++this.#written;
      const response = await this.#send(turn, '', { method: 'PATCH', body: JSON.stringify({ priority }) });
      if (response?.status === 200) {
        this.counts.acknowledged++;
        this.#floor = Math.max(this.#floor, priority);
      } else this.counts.refused++;
    }
  }

  async #read(reader: number): Promise<void> {
    for (let turn = reader; !this.#isStopped; turn++) {
      const floor = this.#floor;
      const response = await this.#send(turn, turn % 2 === 0 ? '' : '?history=false');
      if (response?.status !== 200) {
        this.counts.failed++;
        const why =
          response === null ? 'no response' : `${response.status} ${(await response.text()).slice(0, 200)}`;
        this.failures.set(why, (this.failures.get(why) ?? 0) + 1);
        continue;
      }
      const { priority } = (await response.json()) as { priority: number };
      if (response.headers.get('callsheet-stale') === 'true') {
        this.counts.stale++;
        continue;
      }
      this.counts.reads++;
      if (priority < floor) this.#t.fail(`read ${priority} from ${response.url} after ${floor}`);
      this.#floor = Math.max(this.#floor, priority);
    }
  }

  /** Resolves with null without a response. */
  async #send(turn: number, query: string, given: RequestInit = {}): Promise<Response | null> {
    const apis = this.#apis();
    const api = apis[turn % apis.length];
    if (api === undefined) return null;
    const headers = { 'content-type': 'application/json' };
    return await fetch(`${api.url}/api/v1/jobs/${this.#job}${query}`, {
      headers,
      signal: AbortSignal.timeout(20_000),
      ...given,
    }).catch(() => null);
  }
}

test('no read is older than what a client has received', { skip: skip ?? false }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cluster-'));
  const nodes = await ClusterNodes.start(t, folder);
  t.teardown(() => {
    if (t.passing()) rmSync(folder, { recursive: true, force: true });
    else t.comment(`the logs are in ${folder}`);
  });
  const owner = await nodes.owner();
  const farm = await owner.api.makeFarm('studio');
  const path = `/api/v1/jobs?farm_id=${farm.farmId}&queue_id=${farm.queueId}`;
  const { id } = await owner.api.must<{ id: string }>('POST', path, template);
  await owner.api.must('PATCH', `/api/v1/jobs/${id}`, { action: 'pause', priority: 0 });
  const clients = new Clients(t, () => nodes.all.map(({ api }) => api), id);
  const running = clients.run();
  const writesMore = (what: string, more = 50): Promise<unknown> => {
    const wanted = clients.counts.acknowledged + more;
    return until(`writes continue ${what}`, () => clients.counts.acknowledged >= wanted);
  };
  await writesMore('at first');

  await t.test('when the owner is killed', async () => {
    await nodes.kill(owner);
    await writesMore('after the kill');
  });
  await t.test('when the owner is paused, and resumes after a takeover', async (t) => {
    await nodes.startNode(owner.name);
    const paused = await ownerOf(nodes, nodes.all);
    paused.daemon.child.kill('SIGSTOP');
    const others = nodes.others(paused);
    await until('another node owns the farms', async () => (await ownerOf(nodes, others)) !== paused);
    paused.daemon.child.kill('SIGCONT');
    await paused.daemon.ended;
    t.pass('the process of the earlier owner ends');
    await nodes.kill(paused);
    await nodes.startNode(paused.name);
    await writesMore('after the pause');
  });
  clients.stop();
  await running;
  const { reads, stale, acknowledged, refused, failed } = clients.counts;
  t.comment(`reads ${reads}, stale ${stale}, failed ${failed}, writes ${acknowledged}, refused ${refused}`);
  for (const [why, count] of clients.failures) t.comment(`${count} reads failed: ${why}`);
  t.ok(reads > 100);
});

/** Returns the node that some others see as the owner. */
const ownerOf = (nodes: ClusterNodes, asked: readonly ClusterMember[]): Promise<ClusterMember> =>
  until('an owner is known', async () => {
    for (const { api } of asked) {
      const { body } = await api.call<{ owner?: string }>('GET', '/api/v1/cluster');
      const owner = nodes.all.find(({ name }) => name === body.owner);
      if (owner !== undefined) return owner;
    }
    return null;
  });

import fc from 'fast-check';
import { test } from 'tap';
import { Client } from '../../../http/ws/client.ts';
import { EventHub } from '../../../http/ws/hub.ts';
import type { Socket } from '../../../http/ws/socket.ts';
import { jobId, queueId } from '../../../src/core/ids.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { DomainEvent } from '../../../src/core/wire/events.ts';
import { WebSocketClient } from '../../kit/web-socket.ts';
import { startSignedIn, type PersonName } from '../kit/signed-in.ts';
import { FRAMES, jobChanges, jobNumber, taskIdAt } from '../kit/records.ts';

const jobEvent = (number: number, owner: string): DomainEvent => ({
  subject: 'jobs',
  payload: {
    job_id: jobId(String(number)),
    name: `job ${number}`,
    owner,
    queue_id: queueId('q'),
    status: 'running',
    updated_at: '2026-11-20T10:00:00.000Z',
  },
});

interface Frame {
  readonly type: string;
  readonly seq: number;
  readonly payload: { readonly job_id?: string; readonly owner?: string; readonly code?: string };
}

/** A client that subscribes to `jobs` in a scope and reads everything at once. */
class Reader {
  readonly frames: Frame[] = [];
  readonly #client: Client;

  constructor(hub: EventHub, scope: string | null) {
    const socket: Socket = {
      send: (text) => {
        this.frames.push(JSON.parse(text) as Frame);
        return 'sent';
      },
      isClear: true,
      together: (write) => {
        write();
      },
      ping: () => undefined,
      close: () => undefined,
    };
    this.#client = new Client(socket, hub, () => ({ ok: true, channel: hub.jobs(scope) }));
  }

  subscribe(since: number): void {
    const payload = { since_seq: since };
    this.#client.received(JSON.stringify({ type: 'subscribe', subject: 'jobs', seq: 1, payload }));
  }

  leave(): void {
    this.#client.closed();
  }
}

const OWNERS = ['alice', 'ALICE', 'bob', '', 'carol'] as const;

type Step =
  | { readonly publish: readonly (typeof OWNERS)[number][] }
  | { readonly subscribe: string | null; readonly isAgain: boolean }
  | { readonly pass: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ publish: fc.array(fc.constantFrom(...OWNERS), { minLength: 1, maxLength: 9 }) }),
  fc.record({ subscribe: fc.constantFrom('alice', 'bob', null), isAgain: fc.boolean() }),
  fc.record({ pass: fc.constantFrom(1, 6 * 60_000) }),
);

/**
 * Plays a history; readers reconnect with the last number that they have. Returns what each scope has received, and the
 * numbers of the pushes.
 */
async function play(steps: readonly Step[]): Promise<ReadonlyMap<string | null, readonly Frame[]>> {
  let now = 0;
  const hub = new EventHub({ replayDepth: 8, now: () => 1_000 + now, steadyNow: () => now });
  const readers = new Map<string | null, Reader>();
  const all = new Map<string | null, Frame[]>();
  let number = 0;
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const collect = (scope: string | null): void => {
    const frames = all.get(scope) ?? [];
    all.set(scope, frames);
    frames.push(...(readers.get(scope)?.frames.splice(0) ?? []));
  };
  for (const each of steps) {
    if ('publish' in each) {
      for (const owner of each.publish) hub.publish([jobEvent((number += 1), owner)]);
    } else if ('pass' in each) {
      now += each.pass;
      hub.tick();
    } else {
      collect(each.subscribe);
      readers.get(each.subscribe)?.leave();
      const last = all.get(each.subscribe)?.findLast(({ type }) => type === 'push')?.seq ?? 0;
      const reader = new Reader(hub, each.subscribe);
      readers.set(each.subscribe, reader);
      reader.subscribe(each.isAgain ? last : 0);
    }
    now += 20_000;
    await settle();
  }
  for (const scope of readers.keys()) collect(scope);
  return all;
}

void test('a client in a scope gets the events of its owner only, and its numbers tell nothing else', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (steps) => {
      const without = await play(steps);
      for (const scope of ['alice', 'bob']) {
        const frames = without.get(scope) ?? [];
        const foreign = frames.find(
          ({ type, payload }) => type === 'push' && payload.owner?.toLowerCase() !== scope,
        );
        if (foreign !== undefined) throw new Error(`${scope} got ${JSON.stringify(foreign)}`);
        // The same history without the events of others looks the same: nothing depends on them.
        const alone = await play(
          steps.map((each) =>
            'publish' in each
              ? { publish: each.publish.filter((owner) => owner.toLowerCase() === scope) }
              : each,
          ),
        );
        const shape = (some: readonly Frame[]): string =>
          JSON.stringify(some.map(({ type, seq, payload }) => [type, seq, payload.code ?? '']));
        const retained = steps.length;
        if (retained > 0 && shape(frames) !== shape(alone.get(scope) ?? []) && !isEvicted(steps))
          throw new Error(`${scope}: ${shape(frames)}, but alone ${shape(alone.get(scope) ?? [])}`);
      }
    }),
    { numRuns: 200 },
  );
  t.pass('200 histories');
});

/**
 * The channel of an owner starts with what the ring of all jobs still retains. Beyond its depth, other events decide how
 * many of the owner's events that are, but the client gets a gap for all that it misses.
 */
const isEvicted = (steps: readonly Step[]): boolean =>
  steps.reduce((sum, each) => sum + ('publish' in each ? each.publish.length : 0), 0) > 8;

void test('a subject needs its permission, and a job in the scope', async (t) => {
  const { api, server, as } = await startSignedIn(t);
  const sketch = {
    name: 'render',
    untouched: 'ready',
    taskCount: 3,
    space: FRAMES(3),
    touched: new Map(),
  } as const;
  const [mine, foreign, unknown] = [jobNumber(1), jobNumber(2), jobNumber(9)];
  api.write(...jobChanges({ id: mine, owner: 'alice' }, [sketch]));
  api.write(...jobChanges({ id: foreign, owner: 'bob' }, [sketch]));
  const clients: WebSocketClient[] = [];
  t.teardown(() => {
    for (const client of clients) client.destroy();
  });
  const open = async (name: PersonName): Promise<WebSocketClient> => {
    const client = await WebSocketClient.open(server.port, as(name).headers);
    clients.push(client);
    return client;
  };
  const errorOf = async (client: WebSocketClient, subject: string): Promise<unknown> => {
    client.subscribe(subject);
    const ack = await client.nextWhere((each) => each.type === 'ack' && each.subject === subject);
    return ack.payload['error'];
  };
  const bob = await open('bob');
  t.equal(await errorOf(bob, `jobs/${foreign}/tasks`), '', 'the channel of the subject is open');
  t.equal(await errorOf(bob, `tasks/${taskIdAt(0, 0, foreign)}/logs`), '');
  const alice = await open('alice');
  t.equal(await errorOf(alice, `jobs/${mine}/tasks`), '');
  t.equal(await errorOf(alice, `tasks/${taskIdAt(0, 0, mine)}/logs`), '');
  for (const id of [foreign, unknown]) {
    const task = taskIdAt(0, 0, id);
    t.equal(await errorOf(alice, `jobs/${id}/tasks`), `forbidden: there is no job ${id} that you may see`);
    t.equal(
      await errorOf(alice, `tasks/${task}/logs`),
      `forbidden: there is no task ${task} that you may see`,
    );
  }
  t.equal(await errorOf(alice, 'workers'), '');
  t.equal(await errorOf(alice, 'jobs'), '');
  t.equal(await errorOf(alice, 'jobs\nbob'), 'unknown subject: jobs\nbob');
  t.equal(await errorOf(alice, 'diagnostics'), 'forbidden: diagnostics requires diagnostics.read');
  t.equal(
    await errorOf(await open('rita'), 'diagnostics'),
    'forbidden: diagnostics requires diagnostics.read',
  );
  const oscar = await open('oscar');
  t.equal(await errorOf(oscar, 'diagnostics'), '');
  t.equal(await errorOf(oscar, `jobs/${foreign}/tasks`), '');
  t.equal(await errorOf(oscar, `jobs/${unknown}/tasks`), `unknown subject: there is no job ${unknown}`);
  api.events.publish([jobEvent(1, 'bob'), jobEvent(2, ''), jobEvent(3, 'Alice')]);
  const push = await alice.nextWhere(({ type, subject }) => type === 'push' && subject === 'jobs');
  t.match(push.payload, { job_id: '3', owner: 'Alice' }, 'the first event that alice gets');
  api.write(remove('job', keys.job(mine)), put('job', keys.job(foreign), { ...record(), owner: 'alice' }));
  t.match(
    await errorOf(await open('alice'), `jobs/${mine}/tasks`),
    /^forbidden/,
    'the owner is not known any more',
  );
});

function record() {
  const [change] = jobChanges({ id: jobNumber(2) }, []);
  if (change?.table !== 'job' || change.op !== 'put') throw new Error('no job');
  return change.value;
}

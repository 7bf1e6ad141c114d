import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { newUserKey, signText } from '../../../src/adapters/nats/user-keys.ts';
import { workerId } from '../../../src/core/ids.ts';
import { renewalText } from '../../../src/core/wire/join-messages.ts';
import { tapBus } from '../../kit/bus-tap.ts';
import { ScriptedWorker } from '../../kit/scripted-worker.ts';
import { until } from '../../kit/until.ts';
import { accessOf } from '../../kit/worker-access.ts';
import { incarnationOf, streamsOf, workersOf } from '../../attack/bus/bus-state.ts';
import type { BusAttack } from './bus-attack.ts';
import { refusedFor, refusedMore, settled, shellJob, submitTo, victimState } from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';
import { forgedAssignment } from './hostile-job.ts';

const ATTACKER = 'worker with a valid credential';
const REFUSED = 'the server refuses every subject by name';
const AT = '2026-11-20T10:00:00Z';

/** An end of an attempt, as a worker reports it. */
const end = (attempt_id: string): object => ({
  attempt_id,
  status: 'succeeded',
  exit_code: 0,
  timestamp: AT,
  session_id: 's',
});

const taskOf = (attempt: string): string => attempt.slice(0, attempt.lastIndexOf('-'));

/** Runs the attack and compares what it must not change. */
async function changesNothing(t: Test, bus: ClosedBus, attack: () => Promise<void>): Promise<void> {
  const before = await victimState(bus);
  await attack();
  await settled(bus);
  t.strictSame(await victimState(bus), before, 'the victim, its task, its log and the workers are unchanged');
}

/** Leases a task for Eve, reports that it runs, and returns its attempt. */
async function leaseForEve({ farm, eve }: ClosedBus): Promise<string> {
  await submitTo(farm, eve.queue, shellJob('true'));
  const { assignments } = await eve.worker.lease();
  const [attempt = ''] = assignments.map(({ attempt_id }) => attempt_id);
  eve.open.add(attempt);
  return attempt;
}

/** Reports the end of Eve's own attempt as the last message of an attack, and waits for its effect. */
async function endOfEve({ service, eve }: ClosedBus, attempt: string): Promise<void> {
  await eve.worker.report(attempt.slice(0, 36), { ...end(attempt) });
  await until('the last message has its effect', async () =>
    (await service.api.attempts(taskOf(attempt))).some(({ status }) => status === 'succeeded'),
  );
  eve.open.delete(attempt);
}

export const HOSTILE_WORKER_ATTACKS: readonly BusAttack<ClosedBus>[] = [
  {
    id: 'B02',
    attacker: ATTACKER,
    action: 'subscribes to requests, replies, reports, logs and cancels of other workers',
    outcome: 'it receives none of them',
    proof: REFUSED,
    run: async (t, { eve, victim }) => {
      const subjects = [
        ...['>', '*', '*.>', '_INBOX.>', '_INBOX.*.>', `_INBOX.${victim.id}.>`, `_INBOX.${victim.id}.*.*`],
        ...['work.>', 'work.lease.>', 'work.lease.*.*', `work.lease._any.${victim.id}`],
        ...['task.>', 'task.status.>', `task.status.*.${victim.id}`, 'task.logs.>', 'task.cancel.>'],
        ...['task.cancel.*.*', `task.cancel.*.${victim.id}`, 'worker.>', 'worker.heartbeat.*', 'worker.diag.*'],
        ...['worker.renew.*', 'service.>', 'service.join.*', 'service.present.*', '_SERVICE.>', '$JS.>', '$SYS.>'],
      ];
      t.strictSame(await eve.client.permitted('subscribe', subjects), []);
      t.strictSame(await eve.client.permitted('subscribe', [`_INBOX.${eve.worker.workerId}.>`]), [
        `_INBOX.${eve.worker.workerId}.>`,
      ]);
    },
  },
  {
    id: 'B03',
    attacker: ATTACKER,
    action: 'answers the open lease request of a worker with an assignment of its own, knowing the inbox',
    outcome: 'the worker runs no program but that of the service',
    proof: `${REFUSED}; the next task of the service runs at that worker, and the forged program has left no file`,
    run: async (t, bus) => {
      const { service, farm, eve, queues } = bus;
      const planted = join(service.folder, 'planted');
      const spare = (await workersOf(service)).find(({ name }) => name === 'spare')?.id ?? '';
      const tap = await tapBus(service);
      const asks = ({ subject, body }: { subject: string; body: { worker_id?: unknown } | null }): boolean =>
        subject.startsWith('work.lease.') && body?.worker_id === spare;
      try {
        const job = await submitTo(farm, queues.main, shellJob('true'));
        await until('the task has ended', async () => (await service.api.job(job)).status === 'completed');
        const { reply } = await tap.next('the worker asks for work', asks);
        t.match(reply, new RegExp(`^_INBOX\\.${spare}\\.`));
        const forged = forgedAssignment(`id -u > ${planted}`);
        t.strictSame(await eve.client.permitted('publish', [reply]), []);
        eve.client.nc.publish(reply, forged);
        await eve.client.nc.flush();
        t.notOk(tap.all.some(({ subject, body }) => subject === reply && JSON.stringify(body) === forged));
      } finally {
        await tap.close();
      }
      const job = await submitTo(farm, queues.main, shellJob('echo genuine'));
      await until('the genuine task has run', async () => (await service.api.log(`${job}-0-0`)).includes('genuine'));
      t.match(await service.api.attempts(`${job}-0-0`), [{ worker_id: spare }]);
      t.notOk(existsSync(planted));
    },
  },
  {
    id: 'B04',
    attacker: ATTACKER,
    action: 'reports the end of a foreign attempt: on the subject of its worker, in its name, and in the own name',
    outcome: 'the attempt, its task and its log are unchanged',
    proof: 'refused by the server, counted as `other-worker`, or logged as `not the holder`; an own report after them takes effect',
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const attempt = await leaseForEve(bus);
      const before = await refusedFor(bus, 'other-worker');
      await changesNothing(t, bus, async () => {
        const forged = { v: 1, task_id: victim.task, ...end(victim.attempt) };
        t.strictSame(
          await eve.client.permitted('publish', [
            `task.status.${victim.job}.${victim.id}`,
            `task.status.${victim.job}`,
          ]),
          [],
        );
        eve.client.say(`task.status.${victim.job}.${own}`, { ...forged, worker_id: victim.id });
        eve.client.say(`task.status.${victim.job}.${own}`, { ...forged, worker_id: own });
        eve.client.say(`task.status.${victim.job}.${own}`, { ...forged, worker_id: own, status: 'failed' });
        await endOfEve(bus, attempt);
      });
      await refusedMore(bus, 'other-worker', before, 1);
      t.match(service.daemon.log(), /status report ignored: not the holder/);
    },
  },
  {
    id: 'B05',
    attacker: ATTACKER,
    action: 'sends log chunks of a foreign attempt',
    outcome: 'the log of the task is unchanged',
    proof: 'refused by the server, or counted as `other-attempt`',
    run: async (t, bus) => {
      const { eve, victim } = bus;
      const before = await refusedFor(bus, 'other-attempt');
      await changesNothing(t, bus, async () => {
        t.strictSame(await eve.client.permitted('publish', [`task.logs.${victim.task}.${victim.id}`]), []);
        for (const seq_num of [1, 2, 50])
          eve.client.say(`task.logs.${victim.task}.${eve.worker.workerId}`, {
            ...{ v: 1, task_id: victim.task, attempt_id: victim.attempt },
            ...{ seq_num, stream: 'stdout', data: 'forged\n', at: AT },
          });
        await refusedMore(bus, 'other-attempt', before, 3);
      });
    },
  },
  {
    id: 'B06',
    attacker: ATTACKER,
    action: 'requests work as another worker, and adds reports of foreign attempts to requests',
    outcome: 'it gets no assignment, and the attempts are unchanged',
    proof: 'refused by the server, counted as `other-worker` and `other-inbox`; a request of its own after them gets a reply',
    run: async (t, bus) => {
      const { eve, victim, service, farm } = bus;
      const own = eve.worker.workerId;
      const incarnation = await incarnationOf(service, victim.id);
      const workers = await refusedFor(bus, 'other-worker');
      const inboxes = await refusedFor(bus, 'other-inbox');
      const attempt = await leaseForEve(bus);
      await changesNothing(t, bus, async () => {
        t.strictSame(await eve.client.permitted('publish', [`work.lease._any.${victim.id}`, 'work.lease._any']), []);
        const request = { v: 1, worker_id: victim.id, farm_id: farm.farmId, incarnation };
        const reports = [end(victim.attempt)];
        eve.client.say(`work.lease._any.${own}`, request, `_INBOX.${own}.a.b`);
        eve.client.say(`work.lease._any.${own}`, { ...request, reports }, `_INBOX.${own}.a.c`);
        const self = { worker_id: own, incarnation: eve.worker.incarnation };
        eve.client.say(`work.lease._any.${own}`, { ...request, ...self }, `_INBOX.${victim.id}.a.b`);
        const answer = await eve.worker.lease({ reports: [end(victim.attempt), end(attempt)] });
        t.strictSame(answer.assignments, []);
        eve.open.delete(attempt);
      });
      await refusedMore(bus, 'other-worker', workers, 2);
      await refusedMore(bus, 'other-inbox', inboxes, 1);
    },
  },
  {
    id: 'B07',
    attacker: ATTACKER,
    action: 'registers, sends heartbeats and departs as another worker, with its incarnation',
    outcome: 'that worker stays online, with its cores and its task',
    proof: 'refused by the server, counted as `other-worker` and `other-inbox`',
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const incarnation = await incarnationOf(service, victim.id);
      const workers = await refusedFor(bus, 'other-worker');
      const inboxes = await refusedFor(bus, 'other-inbox');
      const kinds = ['register', 'heartbeat', 'deregister'];
      await changesNothing(t, bus, async () => {
        const foreign = kinds.flatMap((kind) => [`worker.${kind}.${victim.id}`, `worker.${kind}`]);
        t.strictSame(await eve.client.permitted('publish', foreign), []);
        const self = { v: 1, worker_id: victim.id, farm_id: bus.farm.farmId, incarnation, open_attempts: [] };
        for (const [number, kind] of kinds.slice(1).entries())
          eve.client.say(`worker.${kind}.${own}`, { ...self, type: kind, reply_to: `_INBOX.${own}.c.${number}` });
        eve.client.say(`worker.heartbeat.${own}`, {
          ...{ ...self, type: 'heartbeat', worker_id: own, incarnation: eve.worker.incarnation },
          reply_to: `_INBOX.${victim.id}.a.b`,
        });
        t.match(await eve.worker.heartbeat([...eve.open]), { type: 'alive' });
      });
      await refusedMore(bus, 'other-worker', workers, 2);
      await refusedMore(bus, 'other-inbox', inboxes, 1);
    },
  },
  {
    id: 'B08',
    attacker: ATTACKER,
    action: 'registers under the name of another worker, with 1,000,000 cores, and with tags that its token forces',
    outcome: 'the name stays, no worker has such cores, and the forced tags stay',
    proof: 'the reply, and the list of workers',
    run: async (t, bus) => {
      const { eve } = bus;
      await changesNothing(t, bus, async () => {
        t.match(await eve.worker.register('show', { name: 'victim' }), {
          type: 'refused',
          reason: /another worker named "victim"/,
        });
        eve.client.say(`worker.register.${eve.worker.workerId}`, {
          ...{ v: 1, type: 'register', worker_id: eve.worker.workerId, incarnation: eve.worker.incarnation },
          ...{ name: 'eve', cpu_count: 1_000_000 },
        });
        t.match(await eve.worker.register('show', { cpu_count: 4 }), { type: 'registered' });
      });
      const workers = await workersOf(bus.service);
      t.match(
        workers.find(({ name }) => name === 'eve'),
        { cpu_count: 4 },
      );
      const tagged = await joinedWorker(bus, 'tagged', { tags: { access: 'guest' } });
      t.match(await tagged.register('show', { tags: { access: 'trusted' } }), { type: 'registered' });
      t.match(
        (await workersOf(bus.service)).find(({ name }) => name === 'tagged'),
        { tags: { access: 'guest' } },
      );
      await tagged.deregister();
    },
  },
  {
    id: 'B09',
    attacker: ATTACKER,
    action: 'registers in, and requests work of, a farm that its token excludes',
    outcome: 'it is not a worker of that farm, and gets none of its tasks',
    proof: 'the replies; the task of that farm stays ready',
    run: async (t, bus) => {
      const { otherFarm, farm, service } = bus;
      const limited = await joinedWorker(bus, 'limited', { farm_id: farm.farmId });
      t.match(await limited.register('other'), { type: 'refused', reason: /credential is for another farm/ });
      t.match(await limited.register('show'), { type: 'registered' });
      const job = (await otherFarm.submit(shellJob('true'))).body.id;
      t.match(await limited.lease({ farm_id: otherFarm.farmId }), { type: 'unknown' });
      t.match((await service.api.job(job)).task_counts, { ready: 1 });
      await limited.deregister();
    },
  },
  {
    id: 'B10',
    attacker: ATTACKER,
    action: 'publishes cancels, looks up those of another worker, and lets acknowledgements go to its cancel subject',
    outcome: 'the task runs on',
    proof: `${REFUSED}; the task still runs after an acknowledged message, and its worker has logged no cancel`,
    run: async (t, bus) => {
      const { eve, victim } = bus;
      const own = eve.worker.workerId;
      const lookup = '$JS.API.DIRECT.GET.CALLSHEET_CANCEL';
      await changesNothing(t, bus, async () => {
        const subjects = [
          ...[`task.cancel.${victim.task}`, `task.cancel.${victim.task}.${victim.id}`],
          ...[`task.cancel.${victim.task}.${own}`, lookup, `${lookup}.task.cancel.${victim.task}`],
          `${lookup}.task.cancel.${victim.task}.${victim.id}`,
        ];
        t.strictSame(await eve.client.permitted('publish', subjects), []);
        const reply = `task.cancel.${victim.task}.${victim.id}`;
        eve.client.say(`task.status.${victim.job}.${own}`, {}, reply);
        eve.client.say(`${lookup}.task.cancel.${victim.task}.${own}`, {}, reply);
        eve.client.say('service.present.x', {}, reply);
      });
      t.notMatch(victim.daemon.log(), /cancel(?:ed|ing) by|stopping the task/i);
    },
  },
  {
    id: 'B11',
    attacker: ATTACKER,
    action: 'uses the API of the streams and of the server, directly and as the reply subject of stored messages',
    outcome: 'streams, consumers and accounts are unchanged',
    proof: `${REFUSED}; the list of streams and consumers before and after`,
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const before = await streamsOf(service);
      await changesNothing(t, bus, async () => {
        const names = ['CALLSHEET_STATUS', 'CALLSHEET_LOGS', 'CALLSHEET_CANCEL', 'CALLSHEET_PRESENCE'];
        const calls = [
          ...['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.DELETE', 'STREAM.PURGE', 'STREAM.INFO', 'STREAM.MSG.GET'],
          ...['STREAM.MSG.DELETE', 'STREAM.SNAPSHOT', 'CONSUMER.CREATE', 'CONSUMER.NAMES', 'DIRECT.GET'],
        ];
        const subjects = names.flatMap((name) => [
          ...calls.map((call) => `$JS.API.${call}.${name}`),
          `$JS.API.CONSUMER.DURABLE.CREATE.${name}.x`,
          `$JS.API.CONSUMER.DELETE.${name}.shard-0-of-1`,
          `$JS.API.CONSUMER.MSG.NEXT.${name}.shard-0-of-1`,
          `$JS.ACK.${name}.shard-0-of-1.1.1.1.1.0`,
        ]);
        const server = ['$SYS.REQ.CLAIMS.UPDATE', '$SYS.REQ.SERVER.PING', '$SYS.REQ.ACCOUNT.PING', '$JS.API.INFO'];
        t.strictSame(await eve.client.permitted('publish', [...subjects, ...server]), []);
        for (const reply of [...subjects, ...server])
          eve.client.say(`task.logs.${victim.task}.${eve.worker.workerId}`, {}, reply);
      });
      t.strictSame(await streamsOf(service), before);
    },
  },
  {
    id: 'B12',
    attacker: ATTACKER,
    action: 'uses wildcards, dots, controls and foreign ids as tokens of subjects and as ids in messages',
    outcome: 'none of them selects more than one id',
    proof: 'refused by the server, or discarded and logged; an own report after them takes effect',
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const attempt = await leaseForEve(bus);
      await changesNothing(t, bus, async () => {
        const outside = [`task.status.a.b.${own}`, `work.lease.a.b.${own}`, `worker.heartbeat.${own}.x`, 'worker.heartbeat.*'];
        t.strictSame(await eve.client.permitted('publish', outside), []);
        for (const id of ['*', '>', '-', '..', `${victim.job}\u0000`, '__proto__', victim.task]) {
          const forged = { v: 1, worker_id: own, ...end(`${id}-0-0-1`), task_id: `${id}-0-0` };
          eve.client.say(`task.status.${victim.job}.${own}`, forged);
          eve.client.say(`task.status.${victim.job}.${own}`, { ...forged, worker_id: id });
        }
        for (const token of ['*', '>'])
          eve.client.say(`task.status.${token}.${own}`, { v: 1, worker_id: own, ...end(victim.attempt), task_id: victim.task });
        await endOfEve(bus, attempt);
      });
      t.match(service.daemon.log(), /bus: poisoned/);
    },
  },
  {
    id: 'B13',
    attacker: ATTACKER,
    action: 'renews the credential of another worker, and its own with a signature of another key',
    outcome: 'it gets no credential',
    proof: `${REFUSED}; the replies; the credential of the other worker is unchanged`,
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const credential = (): Promise<{ credential: object }> =>
        service.api.must('GET', `/api/v1/workers/${victim.id}`);
      const before = (await credential()).credential;
      t.strictSame(await eve.client.permitted('publish', [`worker.renew.${victim.id}`, 'service.join.x']), []);
      const { publicKey: nkey, seed } = newUserKey();
      const ask = async (worker_id: string): Promise<object> => {
        const signature = signText(seed, renewalText(workerId(worker_id), nkey, AT));
        const request = { v: 1, type: 'renew', worker_id, nkey, issued_at: AT, signature };
        return (await eve.worker.nc.request(`worker.renew.${own}`, JSON.stringify(request))).json<object>();
      };
      t.match(await ask(victim.id), { type: 'refused', reason: 'the request is for another worker' });
      t.match(await ask(own), { type: 'refused', reason: /credential is not valid/ });
      t.strictSame((await credential()).credential, before);
    },
  },
  {
    id: 'B14',
    attacker: ATTACKER,
    action: 'sends 10,000 messages that cannot be read, and 500 that it may not send',
    outcome: 'the service discards them, logs at most 100 of a kind in a minute, and stays ready',
    proof: 'an own report after them takes effect; the number of lines in the log',
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const attempt = await leaseForEve(bus);
      const before = await refusedFor(bus, 'other-worker');
      await changesNothing(t, bus, async () => {
        for (let sent = 0; sent < 10_000; sent++)
          eve.client.nc.publish(`task.status.${victim.job}.${own}`, `{"v":${sent}`);
        for (let sent = 0; sent < 500; sent++)
          eve.client.say(`task.status.${victim.job}.${own}`, {
            ...{ v: 1, worker_id: victim.id, task_id: victim.task },
            ...end(victim.attempt),
          });
        await endOfEve(bus, attempt);
      });
      await refusedMore(bus, 'other-worker', before, 500);
      const linesWith = (text: string): number => service.daemon.log().split(text).length - 1;
      t.ok(linesWith('bus: poisoned') <= 100, `${linesWith('bus: poisoned')} lines about unreadable messages`);
      const refused = linesWith('bus: messages of a worker are refused');
      t.ok(refused <= 25, `${refused} lines about refused messages`);
    },
  },
];

/** Returns a worker with a credential for a new token, which has not registered. It is closed with the test. */
async function joinedWorker(bus: ClosedBus, name: string, input: object): Promise<ScriptedWorker> {
  const credential = await bus.credential(name, input);
  const worker = await ScriptedWorker.act(accessOf(credential), bus.service.busPort, name, 1);
  bus.dial(worker);
  return worker;
}

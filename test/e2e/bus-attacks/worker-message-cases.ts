import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { tapBus } from '../../kit/bus-tap.ts';
import { until } from '../../kit/until.ts';
import { incarnationOf, workersOf } from '../../attack/bus/bus-state.ts';
import type { BusAttack } from './bus-attack.ts';
import {
  AT,
  changesNothing,
  refusedFor,
  refusedMore,
  REFUSED_BY_SERVER,
  shellJob,
  submitTo,
  succeeded,
  taskOf,
} from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';
import { ATTACKER, endOfEve, joinedWorker, leaseForEve } from './eve.ts';
import { forgedAssignment } from './hostile-job.ts';

/** Messages of a worker with a valid credential that concern other workers. */
export const WORKER_MESSAGE_ATTACKS: readonly BusAttack<ClosedBus>[] = [
  {
    id: 'B02',
    attacker: ATTACKER,
    action: 'subscribes to requests, replies, reports, logs and cancels of other workers',
    outcome: 'it receives none of them',
    proof: REFUSED_BY_SERVER,
    run: async (t, { eve, victim }) => {
      const subjects = [
        ...['>', '*', '*.>', '_INBOX.>', '_INBOX.*.>', `_INBOX.${victim.id}.>`, `_INBOX.${victim.id}.*.*`],
        ...['work.>', 'work.lease.>', 'work.lease.*.*', `work.lease._any.${victim.id}`],
        ...['task.>', 'task.status.>', `task.status.*.${victim.id}`, 'task.logs.>', 'task.cancel.>'],
        ...[
          'task.cancel.*.*',
          `task.cancel.*.${victim.id}`,
          'worker.>',
          'worker.heartbeat.*',
          'worker.diag.*',
        ],
        ...[
          'worker.renew.*',
          'service.>',
          'service.join.*',
          'service.present.*',
          '_SERVICE.>',
          '$JS.>',
          '$SYS.>',
        ],
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
    proof: `${REFUSED_BY_SERVER}; the next task of the service runs at that worker, and the forged program has left no file`,
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
      await until('the genuine task has run', async () =>
        (await service.api.log(`${job}-0-0`)).includes('genuine'),
      );
      t.match(await service.api.attempts(`${job}-0-0`), [{ worker_id: spare }]);
      t.notOk(existsSync(planted));
    },
  },
  {
    id: 'B04',
    attacker: ATTACKER,
    action:
      'reports the end of a foreign attempt: on the subject of its worker, in its name, and in the own name',
    outcome: 'the attempt, its task and its log are unchanged',
    proof:
      'refused by the server, counted as `other-worker`, or logged as `not the holder`; an own report after them takes effect',
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const attempt = await leaseForEve(bus);
      const before = await refusedFor(bus, 'other-worker');
      await changesNothing(t, bus, async () => {
        const forged = { v: 1, task_id: victim.task, ...succeeded(victim.attempt) };
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
    proof:
      'refused by the server, counted as `other-worker` and `other-inbox`; a request of its own after them gets a reply',
    run: async (t, bus) => {
      const { eve, victim, service, farm } = bus;
      const own = eve.worker.workerId;
      const incarnation = await incarnationOf(service, victim.id);
      const workers = await refusedFor(bus, 'other-worker');
      const inboxes = await refusedFor(bus, 'other-inbox');
      const attempt = await leaseForEve(bus);
      await changesNothing(t, bus, async () => {
        t.strictSame(
          await eve.client.permitted('publish', [`work.lease._any.${victim.id}`, 'work.lease._any']),
          [],
        );
        const request = { v: 1, worker_id: victim.id, farm_id: farm.farmId, incarnation };
        eve.client.say(`work.lease._any.${own}`, request, `_INBOX.${own}.a.b`);
        eve.client.say(
          `work.lease._any.${own}`,
          { ...request, reports: [succeeded(victim.attempt)] },
          `_INBOX.${own}.a.c`,
        );
        const self = { worker_id: own, incarnation: eve.worker.incarnation };
        eve.client.say(`work.lease._any.${own}`, { ...request, ...self }, `_INBOX.${victim.id}.a.b`);
        const reports = [succeeded(victim.attempt), succeeded(attempt)];
        t.match(await eve.worker.lease({ incarnation: '0', reports }), { type: 'unknown' });
        await until('the report about the own attempt has its effect', async () =>
          (await service.api.attempts(taskOf(attempt))).some(({ status }) => status === 'succeeded'),
        );
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
        const registration = { ...eve.worker.registration('show'), name: 'victim', cpu_count: 64 };
        for (const [number, kind] of kinds.entries())
          eve.client.say(`worker.${kind}.${own}`, {
            ...(kind === 'register' ? registration : {}),
            ...self,
            type: kind,
            reply_to: `_INBOX.${own}.c.${number}`,
          });
        eve.client.say(`worker.heartbeat.${own}`, {
          ...{ ...self, type: 'heartbeat', worker_id: own, incarnation: eve.worker.incarnation },
          reply_to: `_INBOX.${victim.id}.a.b`,
        });
        t.match(await eve.worker.heartbeat([...eve.open]), { type: 'alive' });
      });
      await refusedMore(bus, 'other-worker', workers, 3);
      await refusedMore(bus, 'other-inbox', inboxes, 1);
    },
  },
  {
    id: 'B08',
    attacker: ATTACKER,
    action:
      'registers under the name of another worker, with 1,000,000 cores, and with tags that its token forces',
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
          ...{ ...eve.worker.registration('show'), cpu_count: 1_000_000 },
          reply_to: `_INBOX.${eve.worker.workerId}.c.d`,
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
];

import { newUserKey, signText } from '../../../src/adapters/nats/user-keys.ts';
import { jobId, workerId } from '../../../src/core/ids.ts';
import { renewalText } from '../../../src/core/wire/join-messages.ts';
import { cancelsIn, incarnationOf, streamsOf } from '../../attack/bus/bus-state.ts';
import { sendHostile } from '../../attack/bus/hostile-worker.ts';
import type { BusAttack } from './bus-attack.ts';
import {
  AT,
  changesNothing,
  refusedFor,
  refusedMore,
  REFUSED_BY_SERVER,
  shellJob,
  succeeded,
} from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';
import { ATTACKER, endOfEve, joinedWorker, leaseForEve } from './eve.ts';

/** A worker with a valid credential that leaves its farm, uses the API of the server, or floods the service. */
export const WORKER_SERVER_ATTACKS: readonly BusAttack<ClosedBus>[] = [
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
    action:
      'publishes cancels, looks up those of another worker, and lets acknowledgements go to its cancel subject',
    outcome: 'the task runs on',
    proof: `${REFUSED_BY_SERVER}; the task still runs after an acknowledged message, and its worker has logged no cancel`,
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
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
      t.equal(await cancelsIn(service), 0, 'no acknowledgement is stored as a cancel');
      t.notMatch(victim.daemon.log(), /cancel(?:ed|ing) by|stopping the task/i);
    },
  },
  {
    id: 'B11',
    attacker: ATTACKER,
    action:
      'uses the API of the streams and of the server, directly and as the reply subject of stored messages',
    outcome: 'streams, consumers and accounts are unchanged',
    proof: `${REFUSED_BY_SERVER}; the list of streams and consumers before and after`,
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const before = await streamsOf(service);
      await changesNothing(t, bus, async () => {
        const names = ['CALLSHEET_STATUS', 'CALLSHEET_LOGS', 'CALLSHEET_CANCEL', 'CALLSHEET_PRESENCE'];
        const calls = [
          ...[
            'STREAM.CREATE',
            'STREAM.UPDATE',
            'STREAM.DELETE',
            'STREAM.PURGE',
            'STREAM.INFO',
            'STREAM.MSG.GET',
          ],
          ...['STREAM.MSG.DELETE', 'STREAM.SNAPSHOT', 'CONSUMER.CREATE', 'CONSUMER.NAMES', 'DIRECT.GET'],
        ];
        const subjects = names.flatMap((name) => [
          ...calls.map((call) => `$JS.API.${call}.${name}`),
          `$JS.API.CONSUMER.DURABLE.CREATE.${name}.x`,
          `$JS.API.CONSUMER.DELETE.${name}.shard-0-of-1`,
          `$JS.API.CONSUMER.MSG.NEXT.${name}.shard-0-of-1`,
          `$JS.ACK.${name}.shard-0-of-1.1.1.1.1.0`,
        ]);
        const server = [
          '$SYS.REQ.CLAIMS.UPDATE',
          '$SYS.REQ.SERVER.PING',
          '$SYS.REQ.ACCOUNT.PING',
          '$JS.API.INFO',
        ];
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
        const outside = [
          `task.status.a.b.${own}`,
          `work.lease.a.b.${own}`,
          `worker.heartbeat.${own}.x`,
          'worker.heartbeat.*',
        ];
        t.strictSame(await eve.client.permitted('publish', outside), []);
        for (const id of ['*', '>', '-', '..', `${victim.job}\u0000`, '__proto__', victim.task]) {
          const forged = { v: 1, worker_id: own, ...succeeded(`${id}-0-0-1`), task_id: `${id}-0-0` };
          eve.client.say(`task.status.${victim.job}.${own}`, forged);
          eve.client.say(`task.status.${victim.job}.${own}`, { ...forged, worker_id: id });
        }
        for (const token of ['*', '>'])
          eve.client.say(`task.status.${token}.${own}`, {
            v: 1,
            worker_id: own,
            ...succeeded(victim.attempt),
            task_id: victim.task,
          });
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
    proof: `${REFUSED_BY_SERVER}; the replies; the credential of the other worker is unchanged`,
    run: async (t, bus) => {
      const { eve, victim, service } = bus;
      const own = eve.worker.workerId;
      const credential = (): Promise<{ credential: object }> =>
        service.api.must('GET', `/api/v1/workers/${victim.id}`);
      const before = (await credential()).credential;
      t.strictSame(
        await eve.client.permitted('publish', [`worker.renew.${victim.id}`, 'service.join.x']),
        [],
      );
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
            ...succeeded(victim.attempt),
          });
        await endOfEve(bus, attempt);
      });
      await refusedMore(bus, 'other-worker', before, 500);
      const linesWith = (text: string): number => service.daemon.log().split(text).length - 1;
      t.ok(
        linesWith('bus: poisoned') <= 100,
        `${linesWith('bus: poisoned')} lines about unreadable messages`,
      );
      const refused = linesWith('bus: messages of a worker are refused');
      t.ok(refused <= 25, `${refused} lines about refused messages`);
    },
  },
  {
    id: 'B37',
    attacker: ATTACKER,
    action: 'sends 600 messages of every kind with random ids, inboxes, reply subjects and sizes (T31)',
    outcome: 'no worker, task, attempt, log or stream but its own changes',
    proof: 'the state before and after; messages that the service has refused',
    run: async (t, bus) => {
      const { eve, victim, service, farm } = bus;
      const { workerId: id, seed, jwt, ca } = eve.credential;
      const before = await refusedFor(bus, 'other-worker');
      const streams = await streamsOf(service);
      const ids = {
        farm: farm.farmId,
        victim: victim.id,
        victimIncarnation: await incarnationOf(service, victim.id),
        eve: id,
        job: jobId(victim.job),
      };
      const servers = { servers: [`127.0.0.1:${service.busPort}`], isTls: true, ca, identity: { seed, jwt } };
      await changesNothing(t, bus, async () => {
        t.equal((await sendHostile(servers, ids, 600)).sent, 600);
      });
      await refusedMore(bus, 'other-worker', before, 1);
      t.strictSame(await streamsOf(service), streams);
    },
  },
];

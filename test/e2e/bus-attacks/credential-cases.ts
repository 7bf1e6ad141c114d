import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { newUserKey, signText } from '../../../src/adapters/nats/user-keys.ts';
import { workerId } from '../../../src/core/ids.ts';
import { confirmationText, parseJoinReply, renewalText } from '../../../src/core/wire/join-messages.ts';
import { ScriptedWorker } from '../../kit/scripted-worker.ts';
import { until } from '../../kit/until.ts';
import { accessOf, credentialOfWorker, joinWith, type Credential } from '../../kit/worker-access.ts';
import { online, workersOf } from '../../attack/bus/bus-state.ts';
import { busPid } from '../survival/bus-process.ts';
import type { BusAttack } from './bus-attack.ts';
import { makeQueue, shellJob, startFarmWorker, submitTo } from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';
import { auditOf, expireToken } from './token-cases.ts';

const AT = '2026-11-20T10:00:00Z';

/** A renewal with the present key of the credential. Returns the new credential, which is not confirmed. */
async function renewed(worker: ScriptedWorker, credential: Credential): Promise<Credential> {
  const { publicKey: nkey, seed } = newUserKey();
  const id = workerId(credential.workerId);
  const signature = signText(credential.seed, renewalText(id, nkey, AT));
  const request = { v: 1, type: 'renew', worker_id: id, nkey, issued_at: AT, signature };
  const reply = await worker.nc.request(`worker.renew.${id}`, JSON.stringify(request));
  const read = parseJoinReply(reply.string());
  if (!read.ok) throw new Error(read.reason);
  if (read.value.type !== 'joined' || read.value.jwt === null) throw new Error(JSON.stringify(read.value));
  return { ...credential, seed, jwt: read.value.jwt };
}

/** The worker uses its new key. */
async function confirm(worker: ScriptedWorker, credential: Credential, publicKey: string): Promise<string> {
  const id = workerId(credential.workerId);
  const signature = signText(credential.seed, confirmationText(id, publicKey, AT));
  const request = { v: 1, type: 'confirm', worker_id: id, nkey: publicKey, issued_at: AT, signature };
  return (await worker.nc.request(`worker.renew.${id}`, JSON.stringify(request))).string();
}

/** Returns the public key in the JWT of a credential. */
function keyOf({ jwt }: Credential): string {
  const [, claims = ''] = jwt.split('.');
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { readonly sub: string };
  return sub;
}

const dial = (bus: ClosedBus, credential: Credential, name: string): Promise<ScriptedWorker> =>
  ScriptedWorker.act(accessOf(credential), bus.service.busPort, name, 1);

/** Reports that no connection with the credential is possible. */
const isRefused = (t: Test, bus: ClosedBus, credential: Credential, what: string): Promise<unknown> =>
  t.rejects(dial(bus, credential, 'refused'), /Authorization/i, what);

/** A task that fails loudly if another one runs at the same time, and ends when the file `open` exists. */
const exclusive = (folder: string, name: string): string =>
  [
    `exec 9>>${folder}/${name}.lock`,
    `flock -n 9 || echo double >>${folder}/${name}.runs`,
    `echo start >>${folder}/${name}.runs`,
    `while [ ! -e ${folder}/${name}.open ]; do sleep 0.1; done`,
    `echo done >>${folder}/${name}.runs`,
  ].join('\n');

const runsOf = ({ service }: ClosedBus, name: string): string => {
  try {
    return readFileSync(join(service.folder, `${name}.runs`), 'utf8');
  } catch {
    // The task has not started yet.
    return '';
  }
};

/** Waits until the task has started this many times. */
const started = (bus: ClosedBus, name: string, times: number): Promise<string> =>
  until(`${name} has started ${times} times`, () => {
    const runs = runsOf(bus, name);
    return runs.split('start').length - 1 >= times && runs;
  });

/** Ends the task, and asserts that the work was done once. */
async function doneOnce(t: Test, bus: ClosedBus, name: string, job: string): Promise<void> {
  writeFileSync(join(bus.service.folder, `${name}.open`), '');
  await until('the job has ended', async () => (await bus.service.api.job(job)).status === 'completed');
  t.equal(runsOf(bus, name), 'start\nstart\ndone\n', 'two attempts, one after the other');
  t.match(
    (await bus.service.api.attempts(`${job}-0-0`)).map(({ status }) => status).filter((each) => each === 'succeeded'),
    ['succeeded'],
  );
}

const revoke = ({ service }: ClosedBus, worker: string): Promise<object> =>
  service.api.must('POST', `/api/v1/workers/${worker}/credential/revoke`);

export const CREDENTIAL_ATTACKS: readonly BusAttack<ClosedBus>[] = [
  {
    id: 'B24',
    attacker: 'thief of a credential that was renewed',
    action: 'renews and confirms with the replaced key, uses an offered key after a second offer, and connects after a revocation',
    outcome: 'the replaced key only connects, for two minutes; a revocation refuses every key',
    proof: 'the replies and errors of real clients',
    run: async (t, bus) => {
      const old = await bus.credential('renewing');
      const worker = await dial(bus, old, 'renewing');
      bus.dial(worker);
      await worker.register('show');
      const lost = await renewed(worker, old);
      const current = await renewed(worker, old);
      await until('the key of the lost offer is refused', async () => {
        try {
          await (await dial(bus, lost, 'lost')).close();
          return false;
        } catch {
          return true;
        }
      });
      const next = await dial(bus, current, 'renewing');
      bus.dial(next);
      t.match(await confirm(next, current, keyOf(current)), /"type":"joined"/);
      await t.rejects(renewed(worker, old), { message: /credential is not valid/ });
      t.match(await confirm(worker, old, keyOf(old)), /the key is not valid/);
      await (await dial(bus, old, 'in the time to reconnect')).close();
      await revoke(bus, old.workerId);
      await Promise.all([worker.nc.closed(), next.nc.closed()]);
      for (const credential of [old, lost, current]) await isRefused(t, bus, credential, keyOf(credential));
    },
  },
  {
    id: 'B25',
    attacker: 'owner of a deleted worker',
    action: 'connects and renews with the credential',
    outcome: 'it gets no connection',
    proof: 'the connection is closed at once, the next one is refused, and the worker is not in the list',
    run: async (t, bus) => {
      const credential = await bus.credential('deleted');
      const worker = await dial(bus, credential, 'deleted');
      bus.dial(worker);
      await worker.register('show');
      await worker.deregister();
      await bus.service.api.must('DELETE', `/api/v1/workers/${credential.workerId}`);
      await worker.nc.closed();
      await isRefused(t, bus, credential, 'deleted');
      t.notOk((await workersOf(bus.service)).some(({ name }) => name === 'deleted'));
    },
  },
  {
    id: 'B26',
    attacker: 'owner of a credential file',
    action: 'copies it to another worker id',
    outcome: 'the credential allows the subjects of its own worker only',
    proof: 'the server refuses every subject by name',
    run: async (t, bus) => {
      const { eve, victim } = bus;
      const worker = await dial(bus, { ...eve.credential, workerId: victim.id }, 'victim');
      const client = bus.dial(worker);
      t.strictSame(await client.permitted('subscribe', [`_INBOX.${victim.id}.>`, `task.cancel.*.${victim.id}`]), []);
      const subjects = ['worker.register', 'worker.heartbeat', 'work.lease._any', 'task.status.x'];
      t.strictSame(
        await client.permitted(
          'publish',
          subjects.map((each) => worker.access.subject(each)),
        ),
        [],
      );
    },
  },
  {
    id: 'B27',
    attacker: 'second connection with the same credential',
    action: 'connects while the worker runs a task, reads its replies, and registers as a later start of it',
    outcome: 'the later start replaces the worker; its task runs again elsewhere, never twice at a time; a revocation closes both connections',
    proof: 'a lock and a record that the task writes, and the attempts',
    run: async (t, bus) => {
      const { service, farm } = bus;
      const queue = await makeQueue(farm, 'twin');
      const twin = startFarmWorker(service, 'twin', 'twin');
      t.teardown(() => twin.kill());
      const { id } = await online(service, 'twin');
      const job = await submitTo(farm, queue, shellJob(exclusive(service.folder, 'twin')));
      await started(bus, 'twin', 1);
      const credential = credentialOfWorker(service, 'twin');
      if (credential === null) throw new Error('the worker has no credential');
      const thief = await dial(bus, credential, 'twin');
      bus.dial(thief);
      const seen = thief.nc.subscribe(`_INBOX.${id}.>`, { max: 1 });
      for await (const reply of seen) t.match(reply.json(), { v: 1 }, 'it is that worker, also for replies');
      t.match(await thief.register('show', { queues: ['twin'] }), { type: 'registered', worker_id: id });
      await until('the worker is replaced', () => /later incarnation/.test(twin.log()));
      const fresh = startFarmWorker(service, 'fresh', 'twin');
      t.teardown(() => fresh.kill());
      await started(bus, 'twin', 2);
      await doneOnce(t, bus, 'twin', job);
      await revoke(bus, id);
      await thief.nc.closed();
      await until('the worker is refused', () => /refuses the credential/.test(twin.log()));
      await isRefused(t, bus, credential, 'revoked');
    },
  },
  {
    id: 'B28',
    attacker: 'revoked worker that stays connected',
    action: 'keeps its connection, its task and its reports, and connects again, also after a restart of nats-server and of the service',
    outcome: 'it is disconnected at once and stays refused; its task runs elsewhere, never twice at a time; expired tokens are not listed and admit no worker',
    proof: 'a lock and a record that the task writes; the log of the worker; the errors of clients; the audit log',
    run: async (t, bus) => {
      const { service, farm } = bus;
      const queue = await makeQueue(farm, 'lost');
      const lost = startFarmWorker(service, 'lost', 'lost');
      t.teardown(() => lost.kill());
      const { id } = await online(service, 'lost');
      const job = await submitTo(farm, queue, shellJob(exclusive(service.folder, 'lost')));
      await started(bus, 'lost', 1);
      const credential = credentialOfWorker(service, 'lost');
      if (credential === null) throw new Error('the worker has no credential');
      const stays = await dial(bus, credential, 'lost');
      bus.dial(stays);
      t.match(await revoke(bus, id), { revoked: true });
      t.match(await stays.nc.closed(), { message: /revoked/i }, 'the server closes the connection');
      await until('the worker is refused', () => /refuses the credential/.test(lost.log()));
      await isRefused(t, bus, credential, 'at once');
      const taker = startFarmWorker(service, 'taker', 'lost');
      t.teardown(() => taker.kill());
      await started(bus, 'lost', 2);
      await doneOnce(t, bus, 'lost', job);
      const audit = await auditOf(bus, { id });
      t.match(audit, [{ operation: 'revokeWorkerCredential', actor: 'root', outcome: 'changed' }]);

      const before = busPid(service);
      if (before === null) throw new Error('there is no nats-server');
      process.kill(before, 'SIGKILL');
      await until('nats-server has restarted', () => busPid(service) !== null && busPid(service) !== before);
      await until('workers are connected again', async () => {
        try {
          const own = await dial(bus, bus.eve.credential, 'eve');
          await own.close();
          return true;
        } catch {
          return false;
        }
      });
      await isRefused(t, bus, credential, 'after a restart of nats-server');

      const token = await bus.token({ uses: 5 });
      await bus.restart(() => expireToken(service.folder, token.id));
      await isRefused(t, bus, credential, 'after a restart of the service');
      const tokens = await service.api.must<{ id: string }[]>('GET', '/api/v1/worker-tokens');
      t.ok(tokens.length > 0);
      t.notOk(tokens.some((each) => each.id === token.id), 'an expired token is not listed');
      await t.rejects(joinWith(token.token, 'late', 'show'), { message: /does not exist, or has expired/ });
      await online(bus.service, 'victim');
    },
  },
];

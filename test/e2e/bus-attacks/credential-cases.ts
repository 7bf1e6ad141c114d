import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { newUserKey, signText } from '../../../src/adapters/nats/user-keys.ts';
import { workerId } from '../../../src/core/ids.ts';
import { confirmationText, parseJoinReply, renewalText } from '../../../src/core/wire/join-messages.ts';
import type { Daemon } from '../../kit/daemons.ts';
import { ScriptedWorker } from '../../kit/scripted-worker.ts';
import { until } from '../../kit/until.ts';
import { accessOf, credentialOfWorker, joinWith, type Credential } from '../../kit/worker-access.ts';
import { online, workersOf } from '../../attack/bus/bus-state.ts';
import { busPid } from '../survival/bus-process.ts';
import type { BusAttack } from './bus-attack.ts';
import {
  AT,
  makeQueue,
  REFUSED_BY_SERVER,
  shellJob,
  startFarmWorker,
  submitTo,
  succeeded,
} from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';
import { auditOf, expireToken } from './token-cases.ts';

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

/** Connects without reconnecting, so that the first end of the connection is seen. */
async function dial(bus: ClosedBus, credential: Credential, name: string): Promise<ScriptedWorker> {
  const access = accessOf(credential, { reconnect: false });
  const worker = await ScriptedWorker.act(access, bus.service.busPort, name, 1);
  worker.farmId = bus.farm.farmId;
  return worker;
}

/** Reports that no connection with the credential is possible. */
const isRefused = (t: Test, bus: ClosedBus, credential: Credential, what: string): Promise<unknown> =>
  t.rejects(dial(bus, credential, 'refused'), /Authorization/i, what);

/** A task of a real worker that runs until it is ended. */
interface Prey {
  readonly daemon: Daemon;
  readonly worker: string;
  readonly credential: Credential;
  readonly job: string;
  /** Its process. */
  readonly pid: number;
}

/** Starts a worker, and a task in a queue that only this worker and Eve serve. */
async function startPrey(t: Test, bus: ClosedBus, name: string): Promise<Prey> {
  const { service, farm } = bus;
  const queue = await makeQueue(farm, name);
  const daemon = startFarmWorker(service, name, name);
  t.teardown(() => daemon.kill());
  const { id } = await online(service, name);
  const file = join(service.folder, `${name}.pid`);
  const job = await submitTo(
    farm,
    queue,
    shellJob(`echo $$ >${file}.new; mv ${file}.new ${file}; exec sleep 600`),
  );
  await until(`the task of ${name} runs`, () => existsSync(file));
  const credential = credentialOfWorker(service, name);
  if (credential === null) throw new Error(`${name} has no credential`);
  return { daemon, worker: id, credential, job, pid: Number(readFileSync(file, 'utf8')) };
}

const isAlive = ({ pid }: Prey): boolean => existsSync(`/proc/${pid}`);

/** Eve takes the task that the service assigns again. */
async function leasedAgain({ eve }: ClosedBus, { job }: Prey): Promise<string> {
  const { assignments } = await eve.worker.lease();
  const attempt = assignments.find((each) => each.job_id === job)?.attempt_id;
  if (attempt === undefined) throw new Error(`no assignment of ${job}: ${JSON.stringify(assignments)}`);
  eve.open.add(attempt);
  return attempt;
}

/** Eve reports success. Asserts that this is the only end of the task that counts. */
async function countsOnce(t: Test, bus: ClosedBus, { job }: Prey, attempt: string): Promise<void> {
  const { eve, service } = bus;
  await eve.worker.report(job, succeeded(attempt));
  await until('the job has ended', async () => (await service.api.job(job)).status === 'completed');
  eve.open.delete(attempt);
  const attempts = await service.api.attempts(`${job}-0-0`);
  t.strictSame(
    attempts.filter(({ status }) => status === 'succeeded').map((each) => each.worker_id),
    [eve.worker.workerId],
    'one end counts',
  );
  t.equal(attempts.length, 2);
}

const revoke = ({ service }: ClosedBus, worker: string): Promise<object> =>
  service.api.must('POST', `/api/v1/workers/${worker}/credential/revoke`);

export const CREDENTIAL_ATTACKS: readonly BusAttack<ClosedBus>[] = [
  {
    id: 'B24',
    attacker: 'thief of a credential that was renewed',
    action:
      'renews and confirms with the replaced key, uses an offered key after a second offer, and connects after a revocation',
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
    proof: REFUSED_BY_SERVER,
    run: async (t, bus) => {
      const { eve, victim } = bus;
      const worker = await dial(bus, { ...eve.credential, workerId: victim.id }, 'victim');
      const client = bus.dial(worker);
      t.strictSame(
        await client.permitted('subscribe', [`_INBOX.${victim.id}.>`, `task.cancel.*.${victim.id}`]),
        [],
      );
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
    outcome:
      'the later start replaces the worker, which stops its task; the task is assigned again at once, and one end counts; a revocation closes both connections',
    proof: 'the log and the process of the replaced worker, the attempts, the closed connections',
    run: async (t, bus) => {
      const prey = await startPrey(t, bus, 'twin');
      const { daemon, worker, credential } = prey;
      const thief = await dial(bus, credential, 'twin');
      bus.dial(thief);
      const seen = thief.nc.subscribe(`_INBOX.${worker}.>`, { max: 1 });
      for await (const { subject } of seen)
        t.ok(subject.startsWith(`_INBOX.${worker}.`), 'it is that worker, also for replies');
      const again = leasedAgain(bus, prey);
      t.match(await thief.register('show', { queues: ['twin'] }), { type: 'registered', worker_id: worker });
      const attempt = await again;
      await until('the worker is replaced', () => /later incarnation/.test(daemon.log()));
      await until('the replaced worker has stopped its task', () => !isAlive(prey));
      await countsOnce(t, bus, prey, attempt);
      await revoke(bus, worker);
      await thief.nc.closed();
      await until('the worker is refused', () => /refuses the credential/.test(daemon.log()));
      await isRefused(t, bus, credential, 'revoked');
    },
  },
  {
    id: 'B28',
    attacker: 'revoked worker that stays connected',
    action:
      'keeps its connection and its task, and connects again, also after a restart of nats-server and of the service',
    outcome:
      'it is disconnected at once and stays refused; its task is assigned again when its process has ended; expired tokens are not listed and admit no worker',
    proof: 'the process of the task, the log of the worker, the errors of clients, the audit log',
    run: async (t, bus) => {
      const { service } = bus;
      const prey = await startPrey(t, bus, 'lost');
      const { daemon, worker: id, credential } = prey;
      const stays = await dial(bus, credential, 'lost');
      bus.dial(stays);
      const again = leasedAgain(bus, prey);
      t.match(await revoke(bus, id), { revoked: true });
      t.match(await stays.nc.closed(), { message: /revoked/i }, 'the server closes the connection');
      await until('the worker is refused', () => /refuses the credential/.test(daemon.log()));
      await isRefused(t, bus, credential, 'at once');
      const attempt = await again;
      t.notOk(isAlive(prey), 'the task does not run twice at a time');
      await countsOnce(t, bus, prey, attempt);
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
      t.notOk(
        tokens.some((each) => each.id === token.id),
        'an expired token is not listed',
      );
      await t.rejects(joinWith(token.token, 'late', 'show'), { message: /has expired/ });
      await online(bus.service, 'victim');
    },
  },
];

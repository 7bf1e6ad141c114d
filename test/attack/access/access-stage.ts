import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Role } from '../../../src/core/access/permissions.ts';
import { freePort, startService, type RunningService } from '../../kit/daemons.ts';
import { ADMIN, authFlags, passwordOf } from '../../kit/auth-service.ts';
import { Caller, textOf } from './caller.ts';

/** An account with a key. */
export interface Person {
  readonly name: string;
  readonly role: Role;
  readonly userId: string;
  readonly key: string;
  readonly keyId: string;
  /** Value of the header `Cookie` of a session. */
  readonly cookie: string;
  readonly as: Caller;
}

export interface StagedJob {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** Id of its first task. */
  readonly taskId: string;
}

export const PEOPLE = ['admin', 'operator', 'reader', 'alice', 'bob'] as const;
export type PersonName = (typeof PEOPLE)[number];

const ROLE_OF: Readonly<Record<PersonName, Role>> = {
  admin: 'admin',
  operator: 'operator',
  reader: 'read-only',
  alice: 'user',
  bob: 'user',
};

/** Authorization headers that must be rejected. */
export type BadCredential = 'bad key' | 'expired' | 'revoked' | 'disabled' | 'deleted';

/** A service with authentication, with accounts of every role and jobs of two users. No worker runs. */
export interface AccessStage {
  readonly service: RunningService;
  readonly url: string;
  readonly port: number;
  readonly people: Readonly<Record<PersonName, Person>>;
  readonly bad: Readonly<Record<BadCredential, string>>;
  readonly farmId: string;
  readonly queueId: string;
  /** A queue of another farm. */
  readonly otherQueueId: string;
  readonly jobs: readonly StagedJob[];
  /** Returns the jobs of an owner. */
  readonly jobsOf: (owner: PersonName) => readonly StagedJob[];
  readonly stop: (isPassing: boolean) => Promise<void>;
}

const JOBS_PER_OWNER = 12;

export const template = (name: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'Frame', type: 'INT', range: '1-3' }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
});

/** Submits a job and returns it. */
export async function submit(
  as: Caller,
  { farmId, queueId }: Pick<AccessStage, 'farmId' | 'queueId'>,
  name: string,
  query: Readonly<Record<string, string>> = {},
): Promise<StagedJob> {
  const parameters = new URLSearchParams({ farm_id: farmId, queue_id: queueId, ...query });
  const { body } = await as.must('POST', `/api/v1/jobs?${parameters.toString()}`, template(name));
  const id = textOf(body, 'id');
  return { id, name, owner: textOf(body, 'owner'), taskId: `${id}-0-0` };
}

const bearer = (key: string): string => `Bearer ${key}`;

/** Signs in and creates a key. */
async function signIn(url: string, name: string, role: Role, password: string): Promise<Person> {
  const login = await new Caller(url).must('POST', '/api/v1/auth/login', { username: name, password });
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  // A write with a cookie needs the origin of the service.
  const session = new Caller(url, { cookie, origin: url });
  const me = await session.must('GET', '/api/v1/auth/me');
  const made = await session.must('POST', '/api/v1/api-keys', { name: `key of ${name}` });
  const key = textOf(made.body, 'secret');
  return {
    name,
    role,
    userId: textOf(me.body, 'subject'),
    key,
    keyId: textOf(made.body, 'id'),
    cookie,
    as: new Caller(url, { authorization: bearer(key) }),
  };
}

async function createPerson(admin: Person, url: string, name: string, role: Role): Promise<Person> {
  await admin.as.must('POST', '/api/v1/users', { username: name, role, password: passwordOf(name) });
  return signIn(url, name, role, passwordOf(name));
}

/** Makes credentials that were valid once, and one that never was. */
async function badCredentials(admin: Person, url: string): Promise<AccessStage['bad']> {
  const make = (name: string): Promise<Person> => createPerson(admin, url, name, 'operator');
  const [expiring, revoked, disabled, deleted] = await Promise.all([
    make('expiring'),
    make('revoked'),
    make('disabled'),
    make('deleted'),
  ]);
  await revoked.as.must('DELETE', `/api/v1/api-keys/${revoked.keyId}`);
  await admin.as.must('PATCH', `/api/v1/users/${disabled.userId}`, { disabled: true });
  await admin.as.must('DELETE', `/api/v1/users/${deleted.userId}`);
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  const short = await expiring.as.must('POST', '/api/v1/api-keys', { name: 'short', expires_at: expiresAt });
  const expired = bearer(textOf(short.body, 'secret'));
  const late = new Caller(url, { authorization: expired });
  while ((await late.send('GET', '/api/v1/auth/me')).status !== 401);
  return {
    'bad key': bearer(`svc_${randomBytes(32).toString('base64url')}`),
    expired,
    revoked: bearer(revoked.key),
    disabled: bearer(disabled.key),
    deleted: bearer(deleted.key),
  };
}

/** Starts the service and creates the accounts, farms and jobs. */
export async function startAccessStage(): Promise<AccessStage> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-attack-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: authFlags(folder),
  });
  const url = service.api.url;
  const admin = await signIn(url, ADMIN.username, 'admin', ADMIN.password);
  const create = (name: PersonName): Promise<Person> => createPerson(admin, url, name, ROLE_OF[name]);
  const [operator, reader, alice, bob] = await Promise.all([
    create('operator'),
    create('reader'),
    create('alice'),
    create('bob'),
  ]);
  const people = { admin, operator, reader, alice, bob };
  const [farm, otherFarm] = [
    await admin.as.must('POST', '/api/v1/farms', { name: 'main' }),
    await admin.as.must('POST', '/api/v1/farms', { name: 'other' }),
  ];
  const queueOf = async (farmId: string): Promise<string> =>
    textOf((await admin.as.must('POST', '/api/v1/queues', { farm_id: farmId, name: 'main' })).body, 'id');
  const farmId = textOf(farm.body, 'id');
  const place = { farmId, queueId: await queueOf(farmId) };
  const jobs: StagedJob[] = [];
  for (const owner of [alice, bob]) {
    for (let number = 1; number <= JOBS_PER_OWNER; number += 1) {
      jobs.push(await submit(owner.as, place, `secret ${owner.name} ${number}`));
    }
  }
  return {
    service,
    url,
    port: service.httpPort,
    people,
    bad: await badCredentials(admin, url),
    ...place,
    otherQueueId: await queueOf(textOf(otherFarm.body, 'id')),
    jobs,
    jobsOf: (owner) => jobs.filter((job) => job.owner === owner),
    stop: async (isPassing) => {
      await service.daemon.kill('SIGTERM');
      if (isPassing) await rm(folder, { recursive: true, force: true });
    },
  };
}

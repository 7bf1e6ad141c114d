import type { AttackCase, AttackTable } from './attack-table.ts';
import { itemsOf, textOf, type Caller } from './caller.ts';
import type { AccessStage, Person } from './access-stage.ts';

type Case = AttackCase<AccessStage>;
type View = Readonly<Record<string, unknown>>;

/** Fields that no request may set, with values that would matter. */
const FOREIGN: readonly (readonly [string, readonly unknown[]])[] = [
  ['role', ['admin', ['admin'], { name: 'admin' }]],
  ['roles', [['admin'], 'admin']],
  ['permissions', [['users.manage', 'jobs.read.all'], 'all']],
  ['owner', ['admin', 'bob', null]],
  ['submitter', ['admin', 'bob']],
  ['source', ['builtin', 'local']],
  ['auth_source', ['ldap', 'oidc']],
  ['external_id', ['uid=admin', '0']],
  ['id', ['01980000-0000-7000-8000-00000000dead', '']],
  ['subject', ['admin']],
  ['user_id', ['admin']],
  ['username', ['root', 'admin']],
  ['kind', ['anonymous']],
  ['password_hash', ['$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA']],
  ['passwordHash', ['$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA']],
  ['ownerScope', [null, '']],
  ['created_at', ['1970-01-01T00:00:00Z']],
  ['updated_at', ['1970-01-01T00:00:00Z']],
  ['status', ['completed', 'failed']],
  ['farm_id', ['01980000-0000-7000-8000-00000000dead']],
  ['failed_attempts', [0, -1]],
  ['task_counts', [{ total: 0 }]],
  ['last_used_at', ['1970-01-01T00:00:00Z']],
  ['revoked_at', [null]],
  ['secret', ['svc_mine']],
  ['prefix', ['svc_mine']],
  ['version', [99]],
  ['__proto__', [{ role: 'admin', ownerScope: null }, null]],
  ['constructor', [{ prototype: { role: 'admin', isAdmin: true } }]],
  ['prototype', [{ role: 'admin' }]],
];

/** A request that changes a resource, and the view in which a change would show. */
interface Target {
  readonly name: string;
  /** Fields that the request may set. */
  readonly own: readonly string[];
  readonly send: (body: string) => Promise<{ readonly status: number }>;
  readonly view: () => Promise<View>;
  /** Fields that every write changes. */
  readonly changing: readonly string[];
}

/** A body as text, because `JSON.stringify` has no way to write `__proto__`. */
const bodyWith = (fields: View, name: string, value: unknown): string =>
  `{${[...Object.entries(fields), [name, value] as const]
    .map(([key, each]) => `${JSON.stringify(key)}:${JSON.stringify(each)}`)
    .join(',')}}`;

/** Returns the first field that differs between two views. */
function difference(before: View, after: View, changing: readonly string[]): string | null {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (changing.includes(key)) continue;
    const [old, now] = [JSON.stringify(before[key]), JSON.stringify(after[key])];
    if (old !== now) return `${key} was ${old}, and is ${now}`;
  }
  return null;
}

function caseOf({ name, send, view, changing }: Target, fields: View, field: string, value: unknown): Case {
  return {
    name: `${name}: ${field} ${JSON.stringify(value)}`,
    run: async () => {
      const before = await view();
      const { status } = await send(bodyWith(fields, field, value));
      // A field that the request does not have is ignored; one that is not an object may be refused.
      if (status >= 500 || status === 401 || status === 403) return String(status);
      return difference(before, await view(), changing);
    },
  };
}

const viewOf =
  (as: Caller, path: string): (() => Promise<View>) =>
  async () =>
    (await as.must('GET', path)).body;

function casesOf(target: Target, fields: View): Case[] {
  return FOREIGN.filter(([field]) => !target.own.includes(field)).flatMap(([field, values]) =>
    values.map((value) => caseOf(target, fields, field, value)),
  );
}

/** `PATCH /auth/me` and `PATCH /users/{id}`. */
function accountTargets({ people }: AccessStage): readonly (readonly [Target, View])[] {
  const { admin, bob } = people;
  const me = ({ name, as }: Person): Target => ({
    name: `PATCH /auth/me of ${name}`,
    own: [],
    send: (body) => as.send('PATCH', '/api/v1/auth/me', body),
    view: viewOf(as, '/api/v1/auth/me'),
    changing: ['display_name'],
  });
  const user: Target = {
    name: 'PATCH /users/{id}',
    own: ['role'],
    send: (body) => admin.as.send('PATCH', `/api/v1/users/${bob.userId}`, body),
    view: viewOf(admin.as, `/api/v1/users/${bob.userId}`),
    changing: ['display_name', 'updated_at'],
  };
  return [
    [me(people.alice), { display_name: 'A' }],
    [me(people.reader), {}],
    [me(people.operator), { display_name: 'O' }],
    [user, { display_name: 'B' }],
  ];
}

/** `PATCH /jobs/{id}` of an own job, and `PUT` of a queue by the operator. */
function workTargets({ people, jobsOf, queueId }: AccessStage): readonly (readonly [Target, View])[] {
  const { alice, operator } = people;
  const [job] = jobsOf('alice');
  if (job === undefined) throw new Error('the stage has no jobs');
  const ofJob: Target = {
    name: 'PATCH /jobs/{id}',
    own: [],
    send: (body) => alice.as.send('PATCH', `/api/v1/jobs/${job.id}`, body),
    view: viewOf(alice.as, `/api/v1/jobs/${job.id}`),
    changing: ['updated_at', 'waiting_reason', 'steps'],
  };
  const ofQueue: Target = {
    name: 'PUT /queues/{id}',
    own: ['farm_id'],
    send: (body) => operator.as.send('PUT', `/api/v1/queues/${queueId}`, body),
    view: viewOf(operator.as, `/api/v1/queues/${queueId}`),
    changing: ['updated_at'],
  };
  return [
    [ofJob, {}],
    [ofJob, { priority: 50 }],
    [ofQueue, { name: 'main' }],
  ];
}

/** New keys: only the name and the expiry can be chosen. */
function keyCases({ people: { alice } }: AccessStage): Case[] {
  return FOREIGN.flatMap(([field, values]) =>
    values.map((value) => ({
      name: `POST /api-keys: ${field} ${JSON.stringify(value)}`,
      run: async () => {
        const body = bodyWith({ name: 'mine' }, field, value);
        const { status, body: made, text } = await alice.as.send('POST', '/api/v1/api-keys', body);
        if (status !== 201) return status === 400 ? null : `${status}: ${text.slice(0, 200)}`;
        const id = textOf(made, 'id');
        const secret = textOf(made, 'secret');
        await alice.as.must('DELETE', `/api/v1/api-keys/${id}`);
        const isOwn =
          /^svc_[A-Za-z0-9_-]{43}$/.test(secret) &&
          textOf(made, 'prefix') === secret.slice(0, 12) &&
          id !== value &&
          made['last_used_at'] === null;
        return isOwn ? null : JSON.stringify({ ...made, secret: '' });
      },
    })),
  );
}

/** New jobs: owner and submitter come from the principal, everything else that is foreign is ignored or refused. */
function submissionCases({ people: { alice }, farmId, queueId }: AccessStage): Case[] {
  return FOREIGN.flatMap(([field, values]) =>
    values.map((value) => ({
      name: `POST /jobs: ${field} ${JSON.stringify(value)}`,
      run: async () => {
        const query = new URLSearchParams({ farm_id: farmId, queue_id: queueId });
        if (field !== 'farm_id') query.set(field, typeof value === 'string' ? value : JSON.stringify(value));
        const body = {
          specificationVersion: 'jobtemplate-2023-09',
          name: 'assigned',
          steps: [{ name: 'render', script: { actions: { onRun: { command: 'true' } } } }],
        };
        const path = `/api/v1/jobs?${query.toString()}`;
        const { status, body: made, text } = await alice.as.send('POST', path, body);
        if (status !== 201)
          return status === 400 || status === 403 ? null : `${status}: ${text.slice(0, 200)}`;
        const id = textOf(made, 'id');
        await alice.as.must('DELETE', `/api/v1/jobs/${id}`);
        const got = [
          made['owner'],
          made['submitter'],
          made['status'],
          made['farm_id'],
          made['failed_attempts'],
        ];
        const wanted = [alice.name, alice.name, 'pending', farmId, 0];
        return JSON.stringify(got) === JSON.stringify(wanted) && id !== value ? null : text.slice(0, 300);
      },
    })),
  );
}

/** New accounts: the role is the administrator's choice, the rest is not. */
function userCases({ people: { admin } }: AccessStage): Case[] {
  let number = 0;
  return FOREIGN.filter(([field]) => field !== 'role' && field !== 'username').flatMap(([field, values]) =>
    values.slice(0, 1).map((value) => ({
      name: `POST /users: ${field} ${JSON.stringify(value)}`,
      run: async () => {
        number += 1;
        const username = `assigned-${number}`;
        const fields = { username, password: 'a password of its own' };
        const { status, body, text } = await admin.as.send(
          'POST',
          '/api/v1/users',
          bodyWith(fields, field, value),
        );
        if (status !== 201) return status === 400 ? null : `${status}: ${text.slice(0, 200)}`;
        await admin.as.must('DELETE', `/api/v1/users/${textOf(body, 'id')}`);
        const got = [body['username'], body['role'], body['auth_source'], body['disabled']];
        const isSafe = JSON.stringify(got) === JSON.stringify([username, 'user', 'local', false]);
        return isSafe && body['id'] !== value ? null : text.slice(0, 300);
      },
    })),
  );
}

/** T3: requests with fields that belong to the service. */
export const massAssignment: AttackTable<AccessStage> = {
  name: 'fields that belong to the service',
  fullCount: 400,
  casesOf: (stage) => [
    ...[...accountTargets(stage), ...workTargets(stage)].flatMap(([target, fields]) =>
      casesOf(target, fields),
    ),
    ...keyCases(stage),
    ...submissionCases(stage),
    ...userCases(stage),
  ],
  finish: async ({ people }) => {
    const changed: string[] = [];
    const users = await people.admin.as.list('/api/v1/users');
    for (const { name, role, userId } of Object.values(people)) {
      const user = users.find((each) => each['id'] === userId);
      if (user?.['role'] !== role || user['username'] !== name)
        changed.push(`the account ${name} is ${JSON.stringify(user)}`);
    }
    const leftOver = await people.alice.as.must('GET', '/api/v1/jobs?search=assigned');
    if (itemsOf(leftOver.body).length > 0) changed.push('jobs were left');
    return changed;
  },
};

import { readContract, type Operation } from '../../../http/openapi/contract.ts';
import { PERMISSIONS, isPermissionName, type Role } from '../../../src/core/access/permissions.ts';
import { refusedUpgrade, upgradeHead, WebSocketClient } from '../../kit/web-socket.ts';
import type { AttackCase, AttackTable } from './attack-table.ts';
import { Caller } from './caller.ts';
import type { AccessStage, StagedJob } from './access-stage.ts';

/** `open`: neither 401 nor 403, because the request passes the checks of credential, permission and owner. */
type Verdict = 401 | 403 | 404 | 'open';

/** Headers of a sender, and the role that they prove; null if they prove nothing. */
interface Sender {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly role: Role | null;
}

const UNKNOWN_ID = '01980000-0000-7000-8000-00000000dead';
const ROLE_TABLE = ['admin', 'operator', 'reader', 'alice'] as const;

const UNKNOWN_ROUTES = [
  ['GET', '/api/v1/nothing'],
  ['POST', '/api/v1/jobs/nothing/at/all'],
  ['GET', '/api/v1/jobs/any/secret'],
  ['DELETE', '/api/v1'],
  ['GET', '/api/v1/internal/debug'],
] as const;

function sendersOf({ bad, people, url }: AccessStage): readonly Sender[] {
  const rejected: Sender[] = [
    { name: 'nothing', headers: {}, role: null },
    { name: 'another scheme', headers: { authorization: 'Basic YWRtaW46YWRtaW4=' }, role: null },
    { name: 'no key', headers: { authorization: 'Bearer' }, role: null },
    { name: 'a key without scheme', headers: { authorization: people.admin.key }, role: null },
    {
      name: 'an unknown session',
      headers: { cookie: 'svc_session=AAAAAAAAAAAAAAAAAAAAAA', origin: url },
      role: null,
    },
    {
      name: 'a key in the cookie',
      headers: { cookie: `svc_session=${people.admin.key}`, origin: url },
      role: null,
    },
    ...Object.entries(bad).map(([name, authorization]) => ({ name, headers: { authorization }, role: null })),
  ];
  const accepted = ROLE_TABLE.map((name): Sender => {
    const { role, as } = people[name];
    return { name: role, headers: as.headers, role };
  });
  return [...rejected, ...accepted];
}

/** Returns the verdict of the contract on a sender, before the request is looked at any further. */
function verdictOf({ permission }: Operation, { role }: Sender): Verdict {
  if (permission === 'public') return 'open';
  if (role === null) return 401;
  if (!isPermissionName(permission)) return 'open';
  const granted: readonly Role[] = PERMISSIONS[permission];
  return granted.includes(role) ? 'open' : 403;
}

const isAs = (status: number, verdict: Verdict): boolean =>
  verdict === 'open' ? status !== 401 && status !== 403 && status < 500 : status === verdict;

/** Sends a request, with an empty object as the body of a write. */
function attempt(
  sender: Sender,
  method: string,
  path: string,
  verdict: Verdict,
  isWrite = method !== 'GET' && method !== 'DELETE',
): AttackCase<AccessStage> {
  return {
    name: `${method} ${path} with ${sender.name}`,
    run: async ({ url }) => {
      const caller = new Caller(url, sender.headers);
      const { status, text } = await caller.send(method, path, isWrite ? {} : undefined);
      return isAs(status, verdict) ? null : `${status}, not ${verdict}: ${text.slice(0, 200)}`;
    },
  };
}

const pathOf = (operation: Operation, id: string): string => operation.path.replace(/\{[a-zA-Z]+\}/g, id);

/** Reads of one job or task, with the ids of an own, a foreign and an unknown one. */
function ownerCases(
  operations: readonly Operation[],
  { people, jobsOf }: AccessStage,
): AttackCase<AccessStage>[] {
  const [own] = jobsOf('alice');
  const [foreign] = jobsOf('bob');
  if (own === undefined || foreign === undefined) throw new Error('the stage has no jobs');
  const ofJobs = operations.filter(({ path }) => /^\/api\/v1\/(jobs|tasks)\/\{id\}/.test(path));
  const reads = ofJobs.filter(({ method }) => method === 'GET');
  const idOf = ({ path }: Operation, job: StagedJob): string =>
    path.startsWith('/api/v1/jobs/') ? job.id : job.taskId;
  const sender = (name: 'alice' | 'admin' | 'operator' | 'reader'): Sender => {
    const { role, as } = people[name];
    return { name: `${role} ${name}`, headers: as.headers, role };
  };
  return [
    ...ofJobs.map((each) =>
      attempt(sender('alice'), each.method, pathOf(each, idOf(each, foreign)), 403, each.body !== null),
    ),
    ...reads.flatMap((each) => [
      attempt(sender('alice'), 'GET', pathOf(each, idOf(each, own)), 'open'),
      ...(['admin', 'operator', 'reader'] as const).map((name) =>
        attempt(sender(name), 'GET', pathOf(each, idOf(each, foreign)), 'open'),
      ),
    ]),
  ];
}

/** The upgrade of the event channel needs a credential like every other request. */
function upgradeCase(sender: Sender): AttackCase<AccessStage> {
  return {
    name: `WebSocket upgrade with ${sender.name}`,
    run: async ({ port }) => {
      if (sender.role !== null) {
        const client = await WebSocketClient.open(port, sender.headers);
        client.destroy();
        return null;
      }
      const headers = { Host: `127.0.0.1:${port}`, ...sender.headers };
      const { head } = await refusedUpgrade(port, upgradeHead(undefined, headers));
      return head.startsWith('HTTP/1.1 401 ') ? null : (head.split('\r\n')[0] ?? 'no answer');
    },
  };
}

/** T1: every operation of the contract with every kind of credential, against the table of permissions. */
export const authorization: AttackTable<AccessStage> = {
  name: 'authorization of every operation',
  fullCount: 980,
  casesOf: (stage) => {
    const { operations } = readContract();
    const senders = sendersOf(stage);
    return [
      ...operations.flatMap((operation) =>
        senders.map((sender) =>
          attempt(
            sender,
            operation.method,
            pathOf(operation, UNKNOWN_ID),
            verdictOf(operation, sender),
            operation.body !== null,
          ),
        ),
      ),
      ...UNKNOWN_ROUTES.flatMap(([method, path]) =>
        senders.map((sender) => attempt(sender, method, path, sender.role === null ? 401 : 404)),
      ),
      ...ownerCases(operations, stage),
      ...senders.map(upgradeCase),
    ];
  },
};

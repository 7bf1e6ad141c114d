import type { WorkerId } from '../ids.ts';
import {
  ANONYMOUS_PERMISSIONS,
  DIAGNOSTIC_SUBJECT,
  storedSubjects,
  workerPermissions,
  type SubjectPermissions,
} from './bus-permissions.ts';

/**
 * The accounts and users of the bus as text for the configuration of a NATS server (docs/bus-identity.md#external-nats).
 * The managed server without authentication, and `callsheet bus permissions`, use the same text.
 */

/** Users of the bus. Keys are public NKEYs. */
export interface BusUsers {
  /** Names of the accounts. */
  readonly accounts: { readonly bus: string; readonly streams: string };
  /** Users of the service, in the account of the workers and in that of the streams. */
  readonly service: { readonly requests: string; readonly streams: string };
  /** Workers with keys of their own. */
  readonly workers: readonly { readonly name: string; readonly id: WorkerId; readonly key: string }[];
  /** Password of the user that clients without credentials become; null: such clients are refused. */
  readonly anonymousPassword: string | null;
  /** User of the service in the system account, which a cluster needs for changes of its servers; absent: none. */
  readonly system?: string;
}

/** Name of the system account of a server without operator. */
const SYSTEM = '$SYS';

/** Name of the user that clients without credentials become. */
const ANONYMOUS = 'anonymous';

const quoted = (text: string): string => JSON.stringify(text);

const listOf = (subjects: readonly string[]): string => `[${subjects.map(quoted).join(', ')}]`;

const permissionsOf = ({ publish, subscribe }: SubjectPermissions): string =>
  `permissions: {publish: {allow: ${listOf(publish)}}, subscribe: {allow: ${listOf(subscribe)}}}`;

/**
 * Returns the lines of the configuration: `no_auth_user`, if there is one, and `accounts`. Workers with keys use subjects
 * that name them; clients without credentials use those of the contract.
 */
export function accountLines({
  accounts,
  service,
  workers,
  anonymousPassword,
  system,
}: BusUsers): readonly string[] {
  const { bus, streams } = accounts;
  const isOpen = anonymousPassword !== null;
  const stored = storedSubjects(!isOpen);
  return [
    ...(isOpen ? [`no_auth_user: ${ANONYMOUS}`] : []),
    'accounts {',
    `  ${bus} {`,
    '    users: [',
    `      {nkey: ${service.requests}} # the service: requests of workers`,
    ...(isOpen
      ? [
          `      {user: ${ANONYMOUS}, password: ${quoted(anonymousPassword)}, ${permissionsOf(ANONYMOUS_PERMISSIONS)}}`,
        ]
      : []),
    ...workers.map(
      ({ name, id, key }) =>
        `      {nkey: ${key}, ${permissionsOf(workerPermissions(id))}} # ${commentOf(name)}`,
    ),
    '    ]',
    '    imports: [',
    ...stored.map((subject) => `      {service: {account: ${streams}, subject: ${quoted(subject)}}}`),
    '    ]',
    `    exports: [{stream: ${quoted(DIAGNOSTIC_SUBJECT)}}]`,
    '  }',
    `  ${streams} {`,
    '    jetstream: enabled',
    `    users: [{nkey: ${service.streams}}] # the service: streams`,
    '    exports: [',
    ...stored.map((subject) => `      {service: ${quoted(subject)}}`),
    '    ]',
    `    imports: [{stream: {account: ${bus}, subject: ${quoted(DIAGNOSTIC_SUBJECT)}}}]`,
    '  }',
    ...(system === undefined ? [] : [`  ${quoted(SYSTEM)} {`, `    users: [{nkey: ${system}}]`, '  }']),
    '}',
  ];
}

/** A name of a worker on one line: it is a comment of the configuration. */
const commentOf = (name: string): string => JSON.stringify(name).slice(1, -1);

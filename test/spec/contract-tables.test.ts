import { test } from 'tap';
import { LEASE_HOLD_MS, STALE_ASSIGNED_MS } from '../../actors/service/service-system.ts';
import { AGENT_LIMITS } from '../../actors/agent/agent-limits.ts';
import { readContract, type Node, type Operation } from '../../http/openapi/contract.ts';
import { HEALTH_CHECK_BUDGET_MS } from '../../http/routes/probes.ts';
import { SHUTDOWN_MS } from '../../daemons/server/server.ts';
import { PERMISSIONS, ROLES, permissionsOf } from '../../src/core/access/permissions.ts';
import { DAEMONS, type KeySet } from '../../src/core/config/keys.ts';
import { COMPONENTS_MAX } from '../../src/core/diagnostics/diagnostic-log.ts';
import { PROBLEMS } from '../../src/core/problems.ts';
import { IDEMPOTENCY_KEY_MS } from '../../src/core/records/idempotency-key.ts';
import {
  BARE_ARRAYS,
  COMMON_STATUSES,
  PAGINATED,
  PROBLEM_STATUSES,
  PROBLEM_STATUSES_ADDITIVE,
  PROBLEM_STATUSES_NOT_YET,
  QUERIES,
  QUERIES_ADDITIVE,
  ROLES_OF_PERMISSIONS,
  ROUTES,
  SERVER_KEYS,
  SERVER_KEYS_ADDITIVE,
  WORKER_KEYS,
  WORKER_KEYS_ADDITIVE,
  type QueryRow,
} from './contract-tables.ts';

const contract = readContract();
const operations = new Map(contract.operations.map((each) => [`${each.method} ${each.path}`, each]));

/** Returns the operation of a route. Throws if it is missing. */
function operationOf(route: string): Operation {
  const operation = operations.get(route);
  if (operation === undefined) throw new Error(`the document has no ${route}`);
  return operation;
}

/** Resolves the reference of a schema. */
function resolved(schema: Node): Node {
  const { $ref: reference, ...own } = schema;
  if (typeof reference !== 'string') return schema;
  const named = contract.schemas[reference.slice(reference.lastIndexOf('/') + 1)];
  return { ...resolved(named as Node), ...own };
}

/** Returns the response schema of a route. */
const answerOf = (route: string): Node =>
  resolved(operationOf(route).responses.get('200')?.content.get('application/json') ?? {});

/** Statuses of every operation that needs a credential, or a permission. */
const statusesOfAccess = (permission: string): readonly number[] =>
  permission === 'public' ? [] : permission === 'authenticated' ? [401] : [401, 403];

void test('the document has every route of the contract, with exactly its statuses', async (t) => {
  const common = new Set<string>(COMMON_STATUSES);
  for (const [route, statuses] of Object.entries(ROUTES)) {
    const { responses, permission } = operationOf(route);
    const own = [...responses.keys()].filter((status) => !common.has(status));
    const wanted = new Set([...statuses, ...statusesOfAccess(permission)]);
    t.strictSame(own.map(Number).sort(), [...wanted].sort(), route);
  }
});

void test('the query parameters are those of the contract', async (t) => {
  for (const route of Object.keys(ROUTES)) {
    const additive = new Set(QUERIES_ADDITIVE[route] ?? []);
    const found = operationOf(route).parameters.filter((each) => each.in === 'query');
    const rows = found
      .filter(({ name }) => !additive.has(name))
      .map(({ name, schema, required }): [string, QueryRow] => {
        const {
          default: standard,
          minimum,
          maximum,
          enum: words,
          // A list parameter: the contract allows several values.
        } = resolved(
          resolved(schema)['items'] === undefined ? schema : (resolved(schema)['items'] as Node),
        ) as QueryRow & {
          enum?: readonly string[];
        };
        const given: QueryRow | undefined = QUERIES[route]?.[name];
        // The contract does not set these limits.
        const row: QueryRow = {
          ...(standard !== undefined && { default: standard }),
          ...(minimum !== undefined && given?.minimum !== undefined && { minimum }),
          ...(maximum !== undefined && given?.maximum !== undefined && { maximum }),
          ...(words !== undefined && { words }),
          ...(required && { required }),
        };
        return [name, row];
      });
    t.strictSame(Object.fromEntries(rows), QUERIES[route] ?? {}, route);
    t.ok(
      [...additive].every((name) => found.some((each) => each.name === name)),
      `additive of ${route}`,
    );
  }
});

void test('lists are pages or plain arrays, as in the contract', async (t) => {
  for (const route of PAGINATED) {
    t.strictSame(answerOf(route)['required'], ['items', 'total', 'limit', 'offset'], route);
  }
  for (const route of BARE_ARRAYS) t.equal(answerOf(route)['type'], 'array', route);
  const known = Object.keys(ROUTES);
  const pages = known.filter((route) => {
    const required = route.startsWith('GET') ? answerOf(route)['required'] : [];
    return Array.isArray(required) && required.includes('total') && required.includes('offset');
  });
  t.strictSame(pages.sort(), [...PAGINATED].sort());
  const arrays = known.filter((route) => route.startsWith('GET') && answerOf(route)['type'] === 'array');
  t.strictSame(arrays.sort(), [...BARE_ARRAYS].sort());
});

void test('the problem types are those of the error table', async (t) => {
  const found = Object.fromEntries(Object.values(PROBLEMS).map(({ status, title }) => [status, title]));
  t.strictSame(found, { ...PROBLEM_STATUSES, ...PROBLEM_STATUSES_ADDITIVE });
  t.strictSame(
    PROBLEM_STATUSES_NOT_YET.filter((status) => status in found),
    [],
    'problem types of future features are absent; add a row for a new one',
  );
});

void test('roles have the permissions of the matrix in the contract, and the document has every permission', async (t) => {
  t.strictSame(PERMISSIONS, ROLES_OF_PERMISSIONS);
  for (const role of ROLES) {
    const granted = Object.entries(ROLES_OF_PERMISSIONS).filter(([, roles]) => roles.includes(role));
    t.strictSame(
      permissionsOf(role),
      granted.map(([permission]) => permission),
      role,
    );
  }
  const { Permission: permission, Role: role } = contract.schemas as Record<string, Node>;
  t.strictSame(permission?.['enum'], Object.keys(ROLES_OF_PERMISSIONS));
  t.strictSame(role?.['enum'], ROLES);
  const used = contract.operations.map((each) => each.permission);
  const known = ['public', 'authenticated', ...Object.keys(ROLES_OF_PERMISSIONS)];
  t.strictSame(
    [...new Set(used)].filter((each) => !known.includes(each)),
    [],
  );
});

const defaultsOf = (keys: KeySet): Record<string, string> =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key.default]));

const withEmpty = (table: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, value ?? '']));

void test('the configuration keys and their defaults are those of the contract', async (t) => {
  t.strictSame(defaultsOf(DAEMONS.server), withEmpty({ ...SERVER_KEYS, ...SERVER_KEYS_ADDITIVE }));
  t.strictSame(defaultsOf(DAEMONS.worker), withEmpty({ ...WORKER_KEYS, ...WORKER_KEYS_ADDITIVE }));
});

/**
 * "Limits", and the times of "Worker and related rules" and "Public, ungated" that are not configuration keys or
 * parameters.
 */
void test('the fixed limits are those of the contract', async (t) => {
  const limits: readonly (readonly [what: string, found: number, row: number])[] = [
    ['checker of readiness', HEALTH_CHECK_BUDGET_MS, 5_000],
    ['graceful shutdown', SHUTDOWN_MS, 30_000],
    ['stale-assigned reaper', STALE_ASSIGNED_MS, 30_000],
    ['lease hold', LEASE_HOLD_MS, 30_000],
    ['worker long-poll', AGENT_LIMITS.leaseTimeoutMs, 35_000],
    ['component rings of diagnostics', COMPONENTS_MAX, 512],
    ['repeats of an Idempotency-Key', IDEMPOTENCY_KEY_MS, 24 * 3_600_000],
  ];
  for (const [what, found, row] of limits) t.equal(found, row, what);
});

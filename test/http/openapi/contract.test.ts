import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'tap';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { parse } from 'yaml';
import { parseContract, readContract, type Node } from '../../../http/openapi/contract.ts';
import { packageRoot } from '../../../http/openapi/package-root.ts';
import { readParsedDocument } from '../../../http/openapi/parsed-document.ts';
import { SchemaSet } from '../../../http/openapi/schema-set.ts';
import { bindRoutes } from '../../../http/pipeline/bind.ts';
import { ParameterReader } from '../../../http/pipeline/parameters.ts';
import { ApiFixture } from '../kit/api-fixture.ts';
import { handlersOf } from '../../../http/routes/handlers.ts';
import { SUBJECT_PERMISSIONS } from '../../../http/ws/subjects.ts';

const contract = readContract();

void test('the generated types match the contract', async (t) => {
  const options = { immutable: true, defaultNonNullable: false };
  const made = `${COMMENT_HEADER}${astToString(await openapiTS(contract.text, options))}`;
  const committed = readFileSync('http/openapi/generated.ts', 'utf8');
  t.ok(committed === made, 'http/openapi/generated.ts is stale: run npm run generate');
});

/**
 * docs/contract/authentication.md#permissions-of-routes and docs/contract/rest.md#public-routes, for the routes of
 * this version.
 */
const PERMISSIONS: readonly (readonly [string, string])[] = [
  ['GET /healthz', 'public'],
  ['GET /readyz', 'public'],
  ['GET /metrics', 'public'],
  ['GET /api/v1/openapi.yaml', 'public'],
  ['GET /api/v1/openjd/schema.json', 'public'],
  ['GET /api/v1/version', 'authenticated'],
  ['GET /api/v1/auth/providers', 'public'],
  ['GET /api/v1/auth/me', 'authenticated'],
  ['PATCH /api/v1/auth/me', 'authenticated'],
  ['PUT /api/v1/auth/password', 'authenticated'],
  ['POST /api/v1/auth/login', 'public'],
  ['GET /api/v1/auth/oidc/login', 'public'],
  ['GET /api/v1/auth/oidc/callback', 'public'],
  ['POST /api/v1/auth/logout', 'authenticated'],
  ['GET /api/v1/users', 'users.read'],
  ['POST /api/v1/users', 'users.manage'],
  ['GET /api/v1/users/{id}', 'users.read'],
  ['PATCH /api/v1/users/{id}', 'users.manage'],
  ['PUT /api/v1/users/{id}/password', 'users.manage'],
  ['DELETE /api/v1/users/{id}', 'users.manage'],
  ['GET /api/v1/users/{id}/api-keys', 'apikeys.admin'],
  ['DELETE /api/v1/users/{id}/api-keys/{keyId}', 'apikeys.admin'],
  ['GET /api/v1/api-keys', 'apikeys.self'],
  ['POST /api/v1/api-keys', 'apikeys.self'],
  ['DELETE /api/v1/api-keys/{id}', 'apikeys.self'],
  ['GET /api/v1/farms', 'infra.read'],
  ['POST /api/v1/farms', 'infra.manage'],
  ['GET /api/v1/farms/{id}', 'infra.read'],
  ['PUT /api/v1/farms/{id}', 'infra.manage'],
  ['DELETE /api/v1/farms/{id}', 'infra.manage'],
  ['GET /api/v1/queues', 'infra.read'],
  ['POST /api/v1/queues', 'infra.manage'],
  ['GET /api/v1/queues/{id}', 'infra.read'],
  ['PUT /api/v1/queues/{id}', 'infra.manage'],
  ['DELETE /api/v1/queues/{id}', 'infra.manage'],
  ['GET /api/v1/compute-locations', 'infra.read'],
  ['POST /api/v1/compute-locations', 'infra.manage'],
  ['GET /api/v1/compute-locations/{id}', 'infra.read'],
  ['PUT /api/v1/compute-locations/{id}', 'infra.manage'],
  ['DELETE /api/v1/compute-locations/{id}', 'infra.manage'],
  ['GET /api/v1/storage-locations', 'infra.read'],
  ['POST /api/v1/storage-locations', 'infra.manage'],
  ['GET /api/v1/storage-locations/{id}', 'infra.read'],
  ['PUT /api/v1/storage-locations/{id}', 'infra.manage'],
  ['DELETE /api/v1/storage-locations/{id}', 'infra.manage'],
  ['GET /api/v1/usage-pools', 'infra.read'],
  ['POST /api/v1/usage-pools', 'infra.manage'],
  ['GET /api/v1/usage-pools/{id}', 'infra.read'],
  ['PUT /api/v1/usage-pools/{id}', 'infra.manage'],
  ['DELETE /api/v1/usage-pools/{id}', 'infra.manage'],
  ['GET /api/v1/products', 'products.read'],
  ['POST /api/v1/products', 'products.manage'],
  ['GET /api/v1/products/{name}', 'products.read'],
  ['PUT /api/v1/products/{name}', 'products.manage'],
  ['DELETE /api/v1/products/{name}', 'products.manage'],
  ['GET /api/v1/products/{name}/parameters', 'products.read'],
  ['POST /api/v1/products/{name}/jobs', 'jobs.write'],
  ['GET /api/v1/presets', 'products.read'],
  ['GET /api/v1/presets/{name}', 'products.read'],
  ['POST /api/v1/presets/{name}/install', 'products.manage'],
  ['GET /api/v1/jobs', 'jobs.read'],
  ['POST /api/v1/jobs', 'jobs.write'],
  ['GET /api/v1/jobs/{id}', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/tasks', 'jobs.read'],
  ['PATCH /api/v1/jobs/{id}', 'jobs.write'],
  ['DELETE /api/v1/jobs/{id}', 'jobs.write'],
  ['POST /api/v1/jobs/{id}/cancel', 'jobs.write'],
  ['POST /api/v1/jobs/{id}/retry', 'jobs.write'],
  ['GET /api/v1/tasks/{id}', 'jobs.read'],
  ['GET /api/v1/tasks/{id}/attempts', 'jobs.read'],
  ['GET /api/v1/tasks/{id}/explain', 'jobs.read'],
  ['GET /api/v1/tasks/{id}/logs', 'jobs.read'],
  ['GET /api/v1/tasks/{id}/log', 'jobs.read'],
  ['POST /api/v1/tasks/{id}/cancel', 'jobs.write'],
  ['POST /api/v1/tasks/{id}/retry', 'jobs.write'],
  ['GET /api/v1/workers', 'workers.read'],
  ['GET /api/v1/workers/{id}', 'workers.read'],
  ['DELETE /api/v1/workers/{id}', 'workers.manage'],
  ['POST /api/v1/workers/{id}/disable', 'workers.manage'],
  ['POST /api/v1/workers/{id}/enable', 'workers.manage'],
  ['GET /api/v1/diagnostics/logs', 'diagnostics.read'],
  ['GET /api/v1/ws', 'authenticated'],
];

/**
 * Routes beyond the contract (docs/decisions/additive-routes.md), each with the permission of the routes that it
 * replaces.
 */
const ADDITIVE_PERMISSIONS: readonly (readonly [string, string])[] = [
  ['POST /api/v1/auth/command-grants', 'apikeys.self'],
  ['POST /api/v1/auth/command-token', 'public'],
  ['GET /api/v1/audit', 'users.read'],
  ['GET /api/v1/cluster', 'infra.read'],
  ['GET /api/v1/stats', 'infra.read'],
  ['GET /api/v1/workers/{id}/attempts', 'workers.read'],
  ['GET /api/v1/farms/{id}/attempts', 'workers.read'],
  ['GET /api/v1/settings', 'infra.read'],
  ['GET /api/v1/start', 'infra.read'],
  ['GET /api/v1/stats/history', 'infra.read'],
  ['GET /api/v1/stats/waiting', 'jobs.read'],
  ['GET /api/v1/stats/overview', 'infra.read'],
  ['GET /api/v1/usage-pools/{id}/use', 'jobs.read'],
  ['GET /api/v1/workers/{id}/history', 'workers.read'],
  ['GET /api/v1/jobs/{id}/failures', 'jobs.read'],
  ['POST /api/v1/jobs/bulk', 'jobs.write'],
  ['GET /api/v1/jobs/summary', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/steps', 'jobs.read'],
  ['POST /api/v1/jobs/{id}/steps/{step}/hold', 'jobs.write'],
  ['POST /api/v1/jobs/{id}/steps/{step}/release', 'jobs.write'],
  ['POST /api/v1/jobs/{id}/skip', 'jobs.write'],
  ['POST /api/v1/tasks/{id}/skip', 'jobs.write'],
  ['GET /api/v1/jobs/{id}/task-grid', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/template', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/dependents', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/environments', 'jobs.read'],
  ['GET /api/v1/queues/{id}/environments', 'infra.read'],
  ['POST /api/v1/queues/{id}/environments', 'infra.manage'],
  ['GET /api/v1/queues/{id}/environments/{environmentId}', 'infra.read'],
  ['PUT /api/v1/queues/{id}/environments/{environmentId}', 'infra.manage'],
  ['DELETE /api/v1/queues/{id}/environments/{environmentId}', 'infra.manage'],
  ['GET /api/v1/queues/{id}/parameters', 'infra.read'],
  ['GET /api/v1/jobs/{id}/graph', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/outputs', 'jobs.read'],
  ['GET /api/v1/tasks/{id}/outputs', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/previews', 'jobs.read'],
  ['GET /api/v1/tasks/{id}/previews/{number}', 'jobs.read'],
  ['GET /api/v1/jobs/{id}/order', 'jobs.read'],
  ['POST /api/v1/jobs/{id}/clone', 'jobs.write'],
  ['POST /api/v1/tasks/bulk', 'jobs.write'],
  ['POST /api/v1/workers/bulk', 'workers.manage'],
  ['POST /api/v1/workers/{id}/retry-failed', 'jobs.write'],
  ['POST /api/v1/workers/{id}/lift-quarantine', 'workers.manage'],
  ['GET /api/v1/farms/{id}/outages', 'infra.read'],
  ['POST /api/v1/farms/{id}/end-outage', 'infra.manage'],
  ['GET /api/v1/products/{name}/revisions', 'products.read'],
  ['POST /api/v1/presets/{name}/update', 'products.manage'],
  ['GET /api/v1/worker-tokens', 'infra.manage'],
  ['POST /api/v1/worker-tokens', 'infra.manage'],
  ['DELETE /api/v1/worker-tokens/{id}', 'infra.manage'],
  ['POST /api/v1/workers/{id}/credential/revoke', 'infra.manage'],
  ['GET /api/v1/webhooks', 'jobs.write'],
  ['POST /api/v1/webhooks', 'jobs.write'],
  ['GET /api/v1/webhooks/{id}', 'jobs.write'],
  ['PUT /api/v1/webhooks/{id}', 'jobs.write'],
  ['DELETE /api/v1/webhooks/{id}', 'jobs.write'],
  ['POST /api/v1/webhooks/{id}/secret', 'jobs.write'],
  ['POST /api/v1/webhooks/{id}/test', 'jobs.write'],
  ['GET /api/v1/webhooks/{id}/deliveries', 'jobs.write'],
  ['GET /api/v1/webhook-formats', 'jobs.write'],
];

void test('the contract has exactly these operations and permissions', async (t) => {
  const found = contract.operations.map(({ method, path, permission }) => [`${method} ${path}`, permission]);
  const known = [...PERMISSIONS, ...ADDITIVE_PERMISSIONS];
  t.same(found.sort(), known.sort());
  t.equal(new Set(contract.operations.map((operation) => operation.id)).size, known.length);
});

void test('the additive routes and their permissions are documented', async (t) => {
  const page = readFileSync('docs/contract/authentication.md', 'utf8');
  const section = page.split('### Additive routes')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `([A-Z]+ [^`]+)` +\| `([a-z._]+)` +\|$/gm)];
  const documented = rows.map(([, route, permission]) => [route, permission]);
  // Two additive routes are listed with those of the contract.
  const listed = PERMISSIONS.filter(([route]) => /tasks\/\{id\}\/(explain|log)$/.test(route));
  t.strictSame(documented.sort(), [...ADDITIVE_PERMISSIONS, ...listed].sort());
});

void test('the document has the permission of every subject of the event channel', async (t) => {
  const paths = (parse(contract.text) as { paths: Record<string, { get?: Node }> }).paths;
  t.strictSame(paths['/api/v1/ws']?.get?.['x-subject-permissions'], SUBJECT_PERMISSIONS);
  const page = readFileSync('docs/contract/events.md', 'utf8');
  for (const permission of new Set(Object.values(SUBJECT_PERMISSIONS))) t.match(page, `\`${permission}\``);
});

const OWN_HEADERS: Readonly<Record<string, readonly string[]>> = {
  201: ['location'],
  303: ['location'],
  401: ['www-authenticate'],
  426: ['upgrade', 'sec-websocket-version'],
  429: ['retry-after'],
};

void test('every operation has the common responses and headers', async (t) => {
  for (const { id, method, path, parameters, body, responses } of contract.operations) {
    const isApi = path.startsWith('/api/v1/');
    // A redirect of the sign-in has no tag.
    const isRead = isApi && method === 'GET' && id !== 'openEvents' && !responses.has('303');
    const everywhere = ['default', ...(isApi ? ['429'] : []), ...(body === null ? [] : ['413', '415'])];
    const statuses = ['400', ...everywhere, ...(isRead ? ['304'] : [])];
    t.strictSame(
      statuses.filter((status) => !responses.has(status)),
      [],
      `statuses of ${id}`,
    );
    for (const [status, response] of responses) {
      const required = response.headers.filter((header) => header.required).map((header) => header.name);
      const wanted = ['x-request-id', ...(isApi ? ['x-api-version'] : [])];
      const own = id === 'login' && status === '200' ? ['set-cookie'] : (OWN_HEADERS[status] ?? []);
      t.strictSame(required.sort(), [...wanted, ...own].sort(), `headers of ${status} of ${id}`);
      const isError = status === 'default' || (Number(status) >= 400 && id !== 'getReadyz');
      if (isError)
        t.strictSame([...response.content.keys()], ['application/problem+json'], `${status} of ${id}`);
    }
    if (!isRead) continue;
    const names = responses.get('200')?.headers.map((header) => header.name);
    t.ok(names?.includes('etag'), `ETag of ${id}`);
    t.ok(
      parameters.some(({ name }) => name === 'If-None-Match'),
      `If-None-Match of ${id}`,
    );
  }
});

void test('the document as the build parsed it is that of openapi.yaml', async (t) => {
  const { text } = contract;
  t.strictSame(readParsedDocument(packageRoot(), text), parse(text));
  t.equal(readParsedDocument(packageRoot(), `${text}\n`), null, 'it is not used for another text');
  t.equal(readParsedDocument(t.testdir({}), text), null, 'the service reads the YAML if there is none');
});

void test('every schema of the contract is valid and compiles', async (t) => {
  const schemas = new SchemaSet(contract);
  const compile = (schema: Node): void => void schemas.check(schema)(undefined);
  const compiled = new Set<string>();
  /** Most responses and headers repeat the same few schemas. */
  const compileOnce = (schema: Node): void => {
    const text = JSON.stringify(schema);
    if (!compiled.has(text)) compile(schema);
    compiled.add(text);
  };
  for (const operation of contract.operations) {
    const { id, body, responses } = operation;
    for (const schema of body?.content.values() ?? []) t.doesNotThrow(() => compile(schema), `body of ${id}`);
    const parameters = new ParameterReader(operation, schemas);
    t.doesNotThrow(() => parameters.read(new Map(), new Map(), []), `parameters of ${id}`);
    for (const { headers, content } of responses.values()) {
      for (const schema of content.values()) t.doesNotThrow(() => compileOnce(schema), id);
      for (const { schema } of headers) t.doesNotThrow(() => compileOnce(schema), id);
    }
  }
  t.throws(() => compile({ $ref: 'callsheet#/$defs/Nothing' }), /can't resolve reference/);
  t.throws(() => compile({ type: 'string', minimun: 3 }), /unknown keyword/);
  const metaSchema = new Ajv2020();
  t.ok(metaSchema.validateSchema({ $defs: contract.schemas }), metaSchema.errorsText());
  t.notOk(metaSchema.validateSchema({ $defs: { Farm: { type: 'strin' } } }));
});

void test('the router rejects handlers that do not match the contract', async (t) => {
  const handlers = handlersOf(contract, new ApiFixture().ports());
  t.doesNotThrow(() => bindRoutes(contract, handlers));
  const withMore = { ...handlers, getMoon: handlers.getHealthz };
  t.throws(
    () => bindRoutes(contract, withMore),
    new Error('the handler getMoon has no operation in the contract'),
  );
  const renamed = parseContract(contract.text.replace('operationId: getFarm\n', 'operationId: getMoon\n'));
  t.throws(
    () => bindRoutes(renamed, handlers),
    new Error('the handler getFarm has no operation in the contract'),
  );
  const [first] = contract.operations;
  if (first === undefined) throw new Error('the contract is empty');
  const extra = {
    ...contract,
    operations: [...contract.operations, { ...first, id: 'getMoon', path: '/moon' }],
  };
  t.throws(
    () => bindRoutes(extra, handlers),
    new Error('the operation getMoon of the contract has no handler'),
  );
  const twice = { ...contract, operations: [...contract.operations, first] };
  t.throws(() => bindRoutes(twice, handlers), new Error('two routes for GET /healthz'));
  const noDefault = parseContract(
    contract.text.replaceAll(', maximum: 1000, default: 50', ', maximum: 1000'),
  );
  t.throws(
    () => bindRoutes(noDefault, handlers),
    new Error('the parameter limit of listAudit has no default in the contract'),
  );
});

void test('an unsupported contract prevents the start', async (t) => {
  const cases: [string, string, string][] = [
    [
      '      x-permission: public\n',
      '',
      'openapi.yaml: x-permission of get /healthz is missing or not a text',
    ],
    [
      "$ref: '#/components/parameters/Id'",
      "$ref: '#/components/parameters/No'",
      'openapi.yaml: #/components/parameters/No in get /api/v1/users/{id} is not an object',
    ],
    [
      'schema: { type: boolean }',
      'schema: { type: bool }',
      'openapi.yaml: parameter paused of get /api/v1/queues has the type bool',
    ],
    [
      'in: path',
      'in: cookie',
      'openapi.yaml: parameter keyId of delete /api/v1/users/{id}/api-keys/{keyId} is in cookie',
    ],
  ];
  for (const [from, to, message] of cases) {
    t.not(contract.text.replace(from, to), contract.text);
    t.throws(() => parseContract(contract.text.replace(from, to)), new Error(message));
  }
});

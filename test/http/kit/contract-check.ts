import { readContract, segmentsOf, type Node, type Operation } from '../../../http/openapi/contract.ts';
import { SchemaSet, type Check } from '../../../http/openapi/schema-set.ts';
import { isPage } from '../../../http/pages/pages.ts';
import { Router } from '../../../http/pipeline/router.ts';

const contract = readContract();
const schemas = new SchemaSet(contract);
const router = new Router<Operation>();
for (const operation of contract.operations)
  router.add(operation.method, operation.path, operation, segmentsOf(operation));
const checks = new Map<string, Check>();
/** Statuses that every operation may return (`default`): foreign origins and hosts, and internal errors. */
const EVERYWHERE: ReadonlySet<number> = new Set([403, 421, 500]);

/** Throws unless the contract describes the response: status, media type, body, and the common headers. */
export function checkAnswer(method: string, target: string, answer: Answer): void {
  const path = target.split('?')[0] ?? '';
  const where = `${method} ${path} ${answer.status}`;
  if (!/^[A-Za-z0-9._-]{1,128}$/.test(answer.headers['x-request-id'] ?? '')) fail(where, 'no X-Request-ID');
  if (answer.headers['x-content-type-options'] !== 'nosniff') fail(where, 'no X-Content-Type-Options');
  if (/^\/api\/v1(\/|$)/.test(path) !== (answer.headers['x-api-version'] === '1'))
    fail(where, 'X-API-Version');
  if (method === 'HEAD') return;
  const mediaType = (answer.headers['content-type'] ?? '').split(';')[0] ?? '';
  if (answer.status >= 400 && mediaType === 'application/problem+json') checkProblem(where, answer);

  // Documented once for all paths, in the contract's description.
  if (answer.status === 503 && answer.text.includes('"the service is stopping"')) return;
  if (answer.status === 503 && /own(s|er of)? the cluster/.test(answer.text)) return;

  const match = router.match(method, path);
  if (!match.found) {
    const isFile = isPage(path) && [200, 304].includes(answer.status);
    if (!isFile && ![204, 400, 401, 403, 404, 405, 421, 429].includes(answer.status)) {
      fail(where, 'no such operation');
    }
    return;
  }
  const { responses, id } = match.target;
  const listed = responses.get(String(answer.status));
  if (listed === undefined && !EVERYWHERE.has(answer.status))
    fail(where, 'the contract does not list this status');
  const response = listed ?? responses.get('default');
  if (response === undefined) {
    fail(where, 'the contract lists only other statuses');
    return;
  }
  for (const { name, required, schema } of response.headers) {
    const value = answer.headers[name];
    if (value === undefined && required) fail(where, `no header ${name}`);
    if (value === undefined) continue;
    const errors = checkOf(`${id} ${answer.status} header ${name}`, schema)(headerValue(schema, value));
    if (errors.length > 0) fail(where, `header ${name}: ${JSON.stringify(errors)}`);
  }
  if (response.content.size === 0) {
    if (answer.text !== '') fail(where, 'unexpected body');
    return;
  }
  const schema = response.content.get(mediaType);
  if (schema === undefined) {
    fail(where, `the contract has no media type ${mediaType}`);
    return;
  }
  const isJson = mediaType.endsWith('json') && !mediaType.includes('ndjson');
  const errors = checkOf(`${id} ${answer.status} ${mediaType}`, schema)(isJson ? answer.body : answer.text);
  if (errors.length > 0) fail(where, JSON.stringify(errors));
}

function checkOf(key: string, schema: Node): Check {
  const check = checks.get(key) ?? schemas.check(schema);
  checks.set(key, check);
  return check;
}

const headerValue = (schema: Node, text: string): unknown =>
  schema['type'] === 'integer' ? Number(text) : text;

const problemCheck = schemas.check({ $ref: 'callsheet#/$defs/Problem' });

function checkProblem(where: string, answer: Answer): void {
  const errors = problemCheck(answer.body);
  if (errors.length > 0) fail(where, JSON.stringify(errors));
  const body = answer.body;
  if (typeof body !== 'object' || body === null || !('status' in body) || !('instance' in body)) return;
  if (body.status !== answer.status)
    fail(where, 'the status in the problem differs from the status of the response');
  if (body.instance !== answer.headers['x-request-id']) fail(where, 'instance is not the request ID');
}

function fail(where: string, what: string): void {
  throw new Error(`${where}: ${what}`);
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Body as JSON; undefined if it is not JSON. */
  readonly body: unknown;
}

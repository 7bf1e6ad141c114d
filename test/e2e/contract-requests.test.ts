import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import tap, { test } from 'tap';
import { readContract } from '../../http/openapi/contract.ts';
import { checkAnswer, type Answer } from '../http/kit/contract-check.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { RequestGenerator, type GeneratedRequest } from '../kit/generated-requests.ts';
import { SeededService } from '../kit/seeded-service.ts';
import { rounds } from '../kit/rounds.ts';

tap.setTimeout(240_000);

/** Set `CALLSHEET_SEED=N` to generate other requests. */
const SEED = Number(process.env['CALLSHEET_SEED'] ?? 20_261_121);
const FITTING_RUNS = 25;
const MUTATED_RUNS = rounds(10, 50);
/** Time after which a silent stream is closed: its response head arrives only with its first line. */
const SILENT_MS = 1_000;

/** Operations that cannot succeed in this test, each with the reason. */
const NEVER_SUCCEEDING: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['login', 'updateMe', 'changePassword', 'createCommandGrant', 'redeemCommandGrant', 'listAudit']
      .concat(['listApiKeys', 'createApiKey', 'revokeApiKey', 'revokeUserApiKey'])
      .map((operation) => [operation, 'authentication is off']),
  ),
  beginOidcLogin: 'there is no provider',
  finishOidcLogin: 'there is no provider',
  deleteWorker: 'the only worker is online',
  getCluster: 'the service is a single node; test/e2e/cluster-fronts.test.ts asks a cluster',
  endOutage: 'no farm has an outage; test/http/routes and test/actors end one',
  liftQuarantine: 'no worker is in quarantine; test/http/routes and test/actors lift one',
  getTaskPreview: 'the worker makes no previews; test/e2e/previews.test.ts does',
  holdStep: 'the jobs have ended by then; test/http and the session of the command line hold steps',
  getJobOrder: 'the jobs have ended by then; test/http and the session of the command line read the order',
  ...Object.fromEntries(
    ['listWorkerTokens', 'createWorkerToken', 'revokeWorkerToken', 'revokeWorkerCredential'].map(
      (operation) => [operation, 'the bus has no authentication'],
    ),
  ),
  openEvents: 'the requests ask for no other protocol; test/e2e/events.test.ts does',
};

/** Reasons for which an operation refuses every valid request with 409. */
const SWITCHED_OFF: ReadonlySet<string> = new Set(['authentication is off', 'the bus has no authentication']);

const BULK = 'ids and filter exclude each other, and settings require set, as the description says';
/** Operations that reject requests that their schema allows, each with the reason. */
const STRICTER: Readonly<Record<string, string>> = {
  bulkJobs: BULK,
  bulkTasks: BULK,
  bulkWorkers: BULK,
  skipJobTasks: 'a selection is required, and range and index_range exclude each other',
  createFarm: 'shared_by must fit queue_policy, as its description says',
  replaceFarm: 'shared_by must fit queue_policy, as its description says',
  createQueueEnvironment: 'replaces requires dry_run, as its description says',
  createWebhook: 'filters exclude each other, and owner and queue must fit, as the descriptions say',
  replaceWebhook: 'filters exclude each other, and owner and queue must fit, as the descriptions say',
  listJobOutputs: 'after must be the next of an earlier page, as the description says',
  listTaskOutputs: 'after must be the next of an earlier page, as the description says',
  listJobPreviews: 'after must be the next of an earlier page, as the description says',
  retryJob: 'range and index_range exclude each other, as their descriptions say',
  getTaskLogs: 'from_line requires attempt, as its description says',
};
/** Few of their generated requests succeed, so they get more of them. */
const STRICTER_RUNS_FACTOR = 4;

const contract = readContract();
const agent = new Agent({ keepAlive: true });

/** Returns the response to a request, or null for a stream without a line so far. Only the head of a stream is read. */
function send(port: number, request: GeneratedRequest): Promise<Answer | null> {
  const query = request.query.map(([name, value]) => `${name}=${value}`).join('&');
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port,
      agent,
      method: request.method,
      path: query === '' ? request.path : `${request.path}?${query}`,
      headers: headersOf(request),
    });
    const mayBeStream = request.query.some(([name, value]) => name === 'tail' && value === 'true');
    const finish = (): void => {
      outgoing.destroy();
      resolve(null);
    };
    const timer = mayBeStream ? setTimeout(finish, SILENT_MS) : null;
    outgoing.on('error', (error) => reject(new Error(`${described(request)}: ${error.message}`)));
    outgoing.on('response', (message) => {
      if (timer !== null) clearTimeout(timer);
      const headers = Object.fromEntries(
        Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
      );
      const status = message.statusCode ?? 0;
      if ((headers['content-type'] ?? '').includes('ndjson')) {
        outgoing.destroy();
        resolve({ status, headers, text: '', body: undefined });
        return;
      }
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', reject);
      message.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = text !== '' && /json$/.test(headers['content-type'] ?? '');
        resolve({ status, headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined });
      });
    });
    outgoing.end(request.body ?? undefined);
  });
}

/** Hop-by-hop headers are set by the agent, which shares connections between requests. */
const OF_THE_CONNECTION = /^(connection|upgrade)$/i;

/** Joins headers of the same name, as node expects. */
function headersOf({ headers, body }: GeneratedRequest): Record<string, string | string[]> {
  const length = body === null ? [] : [['Content-Length', String(body.byteLength)] as const];
  const values = new Map<string, string[]>();
  const own = headers.filter(([name]) => !OF_THE_CONNECTION.test(name));
  for (const [name, value] of [...own, ...length]) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
}

const described = ({ method, path, query, headers, body, mutation }: GeneratedRequest): string =>
  JSON.stringify({ mutation, method, path, query, headers, body: body?.toString('latin1').slice(0, 400) });

await test('every operation answers generated requests as documented', { timeout: 200_000 }, async (t) => {
  t.comment(`CALLSHEET_SEED=${SEED}`);
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-requests-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2', '--webhooks-allow-private=127.0.0.0/8'],
  });
  const world = new SeededService(service.api);
  const farm = await world.start();
  const worker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`]);
  t.teardown(async () => {
    agent.destroy();
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  await world.runJobs();

  const allowedAt = (path: string): string =>
    contract.operations
      .filter((each) => each.path === path)
      .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .concat('OPTIONS')
      .sort()
      .join(', ');

  for (const operation of contract.operations) {
    await t.test(operation.id, async (t) => {
      const seen = new Map<number, number>();
      const knowns = await world.renew();
      const makers = knowns.map((known) => new RequestGenerator(contract, operation, known));
      const holds = async (request: GeneratedRequest): Promise<void> => {
        const answer = await send(service.httpPort, request);
        if (answer === null) return;
        const { status, headers } = answer;
        const wrong = (what: string): never => {
          throw new Error(`${status}, ${what}: ${described(request)}\n${answer.text.slice(0, 600)}`);
        };
        try {
          checkAnswer(request.method, request.path, answer);
        } catch (error) {
          wrong(String(error));
        }
        if (status >= 500 && !(status === 503 && operation.responses.has('503')))
          wrong('internal server error');
        // Without an encoded slash, such a path is also that of a name of two parts, which has other methods.
        const isAlsoName = /\{name\}\/[a-z]+$/.test(operation.path) && !request.path.includes('%2F');
        if (isAlsoName && request.mutation?.startsWith('the method ') === true) return;
        // While authentication is off, these operations refuse every valid request before they look for the resource.
        const isOff = status === 409 && SWITCHED_OFF.has(NEVER_SUCCEEDING[operation.id] ?? '');
        if (request.expected !== null && !request.expected.includes(status) && !isOff) {
          wrong(`expected status ${request.expected.join(' or ')}`);
        }
        if (status === 405 && request.path !== `${request.path}/`) {
          const allowed = (headers['allow'] ?? '').split(', ').sort().join(', ');
          if (request.expected?.length === 1 && allowed !== allowedAt(operation.path))
            wrong(`Allow: ${allowed}`);
        }
        if (request.mutation === null) {
          seen.set(status, (seen.get(status) ?? 0) + 1);
          const refused = operation.id in STRICTER ? [413, 415] : [400, 413, 415];
          if (refused.includes(status)) wrong('a valid request is rejected');
        }
      };
      const failureOf = async (
        requests: (maker: RequestGenerator) => fc.Arbitrary<GeneratedRequest>,
        numRuns: number,
      ): Promise<string> => {
        const property = fc.asyncProperty(fc.oneof(...makers.map(requests)), holds);
        const { errorInstance } = await fc.check(property, { seed: SEED, numRuns, endOnFailure: true });
        return errorInstance instanceof Error ? errorInstance.message : '';
      };
      const runs = operation.id in STRICTER ? STRICTER_RUNS_FACTOR * FITTING_RUNS : FITTING_RUNS;
      const fitting = await failureOf((maker) => maker.valid(), runs);
      t.equal(fitting, '', 'valid requests');
      const mutated = await failureOf((maker) => maker.mutated(), MUTATED_RUNS);
      t.equal(mutated, '', 'requests with one fault');
      const statuses = [...seen].sort().map(([status, count]) => `${status}: ${count}`);
      t.comment(`${operation.id} ${statuses.join(', ')}`);
      const succeeded = [...seen.keys()].some((status) => status < 400);
      if (!(operation.id in NEVER_SUCCEEDING)) t.ok(succeeded, `a request succeeds (${statuses.join(', ')})`);
    });
  }

  await t.test('the service continues', async (t) => {
    t.equal((await service.api.call('GET', '/readyz')).status, 200);
    t.ok(worker.isRunning);
    t.notMatch(service.daemon.log(), /a request failed|response aborted|poison/);
  });
});

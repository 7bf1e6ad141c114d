import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** A real service in a separate process, with its own nats-server and an empty store. */
export interface BenchService {
  readonly url: string;
  readonly busPort: number;
  readonly dataDirectory: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A folder for the data of a service. Stopping the service removes it. */
export const benchDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'callsheet-bench-'));

/** `madeBefore` is a folder that already has a store; `environment` is added to that of the bench. */
export async function startBenchService(
  extraFlags: readonly string[] = [],
  madeBefore?: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<BenchService> {
  const dataDirectory = madeBefore ?? (await benchDirectory());
  const busPort = await freePort();
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('bin/callsheet.js', packageRoot)),
      'server',
      `--http-addr=127.0.0.1:0`,
      `--bus-addr=127.0.0.1:${busPort}`,
      `--data-dir=${dataDirectory}`,
      '--log-level=error',
      '--log-format=text',
      '--http-rate-limit-enabled=false',
      '--stop-bus',
      ...extraFlags,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...environment } },
  );
  const url = await printedUrl(child);
  return {
    url,
    busPort,
    dataDirectory,
    pid: child.pid ?? 0,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function printedUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const match = /http:\/\/\S+/.exec(line);
    if (match !== null) return match[0];
  }
  throw new Error('the service ended before it was ready');
}

/** Returns a free port of the loopback. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });
}

/** Sends a request to the service. Throws unless it succeeds. */
export async function call<Answer>(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok)
    throw new Error(`${init?.method ?? 'GET'} ${url}: ${response.status} ${text.slice(0, 500)}`);
  return (text === '' ? null : JSON.parse(text)) as Answer;
}

/** Headers with a credential. */
export type Credential = Readonly<Record<string, string>>;

/** Sends JSON. Throws unless it succeeds. */
export const post = <Answer>(url: string, body: object, credential: Credential = {}): Promise<Answer> =>
  call<Answer>(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential },
    body: JSON.stringify(body),
  });

/** Creates a farm with one queue. */
export async function makeFarm(
  url: string,
  credential: Credential = {},
): Promise<{ farmId: string; queueId: string }> {
  const farm = await post<{ id: string }>(`${url}/api/v1/farms`, { name: 'bench' }, credential);
  const input = { name: 'bench', farm_id: farm.id };
  const queue = await post<{ id: string }>(`${url}/api/v1/queues`, input, credential);
  return { farmId: farm.id, queueId: queue.id };
}

/** Submits a job. */
export const submit = (
  url: string,
  { farmId, queueId }: { farmId: string; queueId: string },
  template: object,
  credential: Credential = {},
): Promise<{ id: string }> =>
  post<{ id: string }>(`${url}/api/v1/jobs?farm_id=${farmId}&queue_id=${queueId}`, template, credential);

/** Submits a job of `tasks` no-op tasks of one core. */
export const submitNoop = (
  url: string,
  farm: { farmId: string; queueId: string },
  tasks: number,
  credential: Credential = {},
): Promise<{ id: string }> =>
  submit(
    url,
    farm,
    {
      specificationVersion: 'jobtemplate-2023-09',
      name: `${tasks} tasks that do nothing`,
      steps: [
        {
          name: 'Noop',
          parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: `1-${tasks}` }] },
          hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
          script: { actions: { onRun: { command: 'true' } } },
        },
      ],
    },
    credential,
  );

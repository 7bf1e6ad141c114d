/**
 * Question: what does authentication cost? Measures reads of a job with an API key and with a session cookie, and, as the
 * yardstick in the same run, the same reads of a service without authentication. Measures the processor time of the main thread, so that
 * other work of the machine matters little. Also measures logins per second with the right password.
 *
 *   npm run bench -- auth [--connections 32] [--seconds 5] [--rounds 3] [--json]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureReads, type ReadFigure } from './kit/read-load.ts';
import { median, saveResult } from './kit/results.ts';
import {
  benchDirectory,
  makeFarm,
  post,
  startBenchService,
  submitNoop,
  type BenchService,
  type Credential,
} from './kit/service.ts';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
});
const [connections, seconds, rounds] = [values.connections, values.seconds, values.rounds].map(Number) as [
  number,
  number,
  number,
];

const NAME = 'bench';
const PASSWORD = 'password of the bench';
const TASKS = 1000;
const LOGINS_AT_ONCE = 8;

type Kind = 'off' | 'key' | 'cookie';

interface Subject {
  readonly service: BenchService;
  readonly header: string;
  readonly job: string;
}

/** Processor time of each read in microseconds, the median of the rounds. */
interface Read {
  readonly off: number;
  readonly key: number;
  readonly cookie: number;
  /** Rate with a key as a part of the rate without authentication. */
  readonly key_ratio: number;
  readonly cookie_ratio: number;
}

const off = await startBenchService();
const on = await startWithAdmin();
try {
  const cookie = await cookieOf(on);
  const key = await keyOf(on, cookie);
  const bearer = { authorization: `Bearer ${key}` };
  const job = await seeded(on, bearer);
  const subjects: Readonly<Record<Kind, Subject>> = {
    off: { service: off, header: '', job: await seeded(off) },
    key: { service: on, header: `Authorization: Bearer ${key}`, job },
    cookie: { service: on, header: `Cookie: ${cookie}`, job },
  };
  const reads = {
    'a job': await compare(subjects, (job) => `/api/v1/jobs/${job}`),
    '50 tasks': await compare(subjects, (job) => `/api/v1/jobs/${job}/tasks?limit=50&offset=0`),
    'a job, not cached': await compare(subjects, (job) => `/api/v1/jobs/${job}?n={n}`),
    '50 tasks, not cached': await compare(
      subjects,
      (job) => `/api/v1/jobs/${job}/tasks?limit=50&offset=0&n={n}`,
    ),
  };
  const result = { connections, seconds, rounds, reads, logins_per_second: await loginsPerSecond(on) };
  saveResult('auth', result);
  process.stdout.write(`${JSON.stringify(result, null, values.json ? 0 : 2)}\n`);
} finally {
  await on.stop();
  await off.stop();
}

/** Submits and cancels a job: the service keeps the responses about it, because no reason to wait changes them. */
async function seeded({ url }: BenchService, credential: Credential = {}): Promise<string> {
  const { id } = await submitNoop(url, await makeFarm(url, credential), TASKS, credential);
  await post(`${url}/api/v1/jobs/${id}/cancel`, {}, credential);
  return id;
}

/** Starts a service with authentication and an administrator. */
async function startWithAdmin(): Promise<BenchService> {
  const directory = await benchDirectory();
  const file = join(directory, 'admin-password');
  writeFileSync(file, PASSWORD, { mode: 0o600 });
  const flags = [`--auth-bootstrap-username=${NAME}`, `--auth-bootstrap-password-file=${file}`];
  return startBenchService(['--auth-enabled=true', '--auth-login-throttle=false', ...flags], directory);
}

/** Signs in and returns `NAME=VALUE` of the session cookie. */
async function cookieOf({ url }: BenchService): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: NAME, password: PASSWORD }),
  });
  await answer.arrayBuffer();
  const [cookie] = answer.headers.getSetCookie();
  if (answer.status !== 200 || cookie === undefined) throw new Error(`login: ${answer.status}`);
  return cookie.split(';')[0] ?? '';
}

async function keyOf({ url }: BenchService, cookie: string): Promise<string> {
  const made = await post<{ secret: string }>(
    `${url}/api/v1/api-keys`,
    { name: 'bench' },
    { cookie, origin: url },
  );
  return made.secret;
}

/** Measures the kinds in turn, so that a change of the machine's speed concerns all of them. */
async function compare(
  subjects: Readonly<Record<Kind, Subject>>,
  pathOf: (job: string) => string,
): Promise<Read> {
  const found: Record<Kind, number[]> = { off: [], key: [], cookie: [] };
  for (let round = 0; round < rounds; round++) {
    for (const kind of ['off', 'key', 'cookie'] as const) {
      const { service, header, job } = subjects[kind];
      const { pid, url } = service;
      const port = Number(new URL(url).port);
      const figure: ReadFigure = await measureReads({
        port,
        pid,
        paths: [pathOf(job)],
        connections,
        seconds,
        header,
      });
      found[kind].push(figure.front_us_each);
    }
  }
  const [plain, key, cookie] = [median(found.off), median(found.key), median(found.cookie)];
  return {
    off: plain,
    key,
    cookie,
    key_ratio: twoDigits(plain / key),
    cookie_ratio: twoDigits(plain / cookie),
  };
}

function twoDigits(value: number): number {
  return Math.round(value * 100) / 100;
}

async function loginsPerSecond(service: BenchService): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  const signInAgain = async (): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1000) {
      await cookieOf(service);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, signInAgain));
  return Math.round((count / (performance.now() - startedAt)) * 1000);
}

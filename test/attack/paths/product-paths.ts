import { Agent, request } from 'node:http';
import type { AttackReport } from '../attack.ts';

/** Content of the file that no answer may contain. */
export const SECRET = 'name: secret-of-the-neighbour\n';

const CLIMBS = [
  '..',
  '../..',
  '../../..',
  '....//',
  '..;',
  '.',
  '/',
  '//',
  '',
  'a/..',
  'a/../..',
  '~',
  '/proc/self/cwd',
];
const TARGETS = [
  'secret',
  'secret.yaml',
  'secret.yaml\0',
  'secret.yaml.',
  'etc/passwd',
  'CON',
  'NUL.yaml',
  'state/data.mdb',
];
const SEPARATORS = ['/', '\\', '%2f', '%5c', '%252f', '\u2215', '\uff0f', '%c0%af', '%e0%80%af', '/./', '//'];
const PREFIXES = [
  '',
  'C:',
  '\\\\server\\share\\',
  'file://',
  '\u202e',
  'x'.repeat(300),
  '__proto__/',
  'constructor/',
];
const NAME = /^[a-z0-9][a-z0-9_-]*(?:\/[a-z0-9][a-z0-9_-]*)?$/;

interface Attempt {
  readonly channel: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: object | null;
  readonly wanted: readonly number[];
}

const agent = new Agent({ keepAlive: true });

/** Uses names that lead elsewhere in every route that takes the name of a product, preset or embedded file. */
export async function runProductPaths(port: number, count: number): Promise<AttackReport> {
  const violations: string[] = [];
  let tried = 0;
  for (const attempt of attempts()) {
    if (tried === count) break;
    tried += 1;
    const { status, text } = await send(port, attempt);
    const shown = `${attempt.channel} ${JSON.stringify(attempt.name.slice(0, 80))}: ${status}`;
    if (!attempt.wanted.includes(status)) violations.push(`${shown} ${text.slice(0, 200)}`);
    if (text.includes('secret-of-the-neighbour')) violations.push(`${shown} shows the file`);
  }
  return { tried, violations };
}

/** Statuses of rejected and unknown paths. */
const NOWHERE = [400, 404, 405, 421, 431, 505];

function* attempts(): Iterable<Attempt> {
  const names = namesOf();
  for (const name of names) {
    const body = { name, title: 'x', template: templateWith('run.sh') };
    yield { channel: 'POST', name, method: 'POST', path: '/api/v1/products', body, wanted: [400] };
    const path = rawPath(name);
    yield {
      channel: 'GET',
      name,
      method: 'GET',
      path: `/api/v1/products/${path}`,
      body: null,
      wanted: NOWHERE,
    };
    yield {
      channel: 'install',
      name,
      method: 'POST',
      path: `/api/v1/presets/${encodeURIComponent(name)}/install`,
      body: null,
      wanted: NOWHERE,
    };
    const replacement = { title: 'x', template: templateWith('run.sh') };
    yield {
      channel: 'PUT',
      name,
      method: 'PUT',
      path: `/api/v1/products/${path}`,
      body: replacement,
      wanted: NOWHERE,
    };
    if (!/[/\\\0]/.test(name)) continue;
    const product = { name: 'attack/embedded', title: 'x', template: templateWith(name) };
    yield {
      channel: 'filename',
      name,
      method: 'POST',
      path: '/api/v1/products',
      body: product,
      wanted: [422],
    };
  }
}

/** Returns names of which none is valid, in a mixed but fixed order. */
function namesOf(): readonly string[] {
  const names = new Set<string>();
  for (const target of TARGETS)
    for (const separator of SEPARATORS)
      for (const climb of CLIMBS)
        for (const prefix of PREFIXES) names.add(`${prefix}${climb}${separator}${target}`);
  const wrong = [...names].filter((name) => !NAME.test(name));
  // A step that shares no divisor with the number of names reaches each of them once.
  return wrong.map((_, index) => wrong[(index * 7_919) % wrong.length] ?? '');
}

const templateWith = (filename: string): string =>
  JSON.stringify({
    specificationVersion: 'jobtemplate-2023-09',
    name: 'x',
    steps: [
      {
        name: 'S',
        script: {
          actions: { onRun: { command: 'true' } },
          embeddedFiles: [{ name: 'F', type: 'TEXT', filename, data: 'x' }],
        },
      },
    ],
  });

/** Keeps dots, slashes and escapes as they are: only what no request line may contain is escaped. */
const rawPath = (name: string): string =>
  name.replaceAll(/[^\x21-\x7e]|[?#"<>\\^`{|}]/gu, (character) => encodeURIComponent(character));

function send(
  port: number,
  { method, path, body }: Attempt,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path,
      headers: { 'content-type': 'application/json' },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('error', reject);
      message.on('end', () =>
        resolve({ status: message.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    outgoing.end(body === null ? undefined : JSON.stringify(body));
  });
}

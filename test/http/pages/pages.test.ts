import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { test, type Test } from 'tap';
import { readBundle, type Bundle } from '../../../http/pages/bundle.ts';
import type { Client } from '../kit/client.ts';
import { startApi, type StartedApi } from '../kit/api-fixture.ts';
import { testEngine } from '../../kit/http-engine.ts';

const INDEX = '<!doctype html><title>Callsheet</title>';
const SCRIPT = 'export const frames = 10;\n'.repeat(100);
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const FILES: Readonly<Record<string, string | Buffer>> = {
  'index.html': INDEX,
  'theme.js': 'localStorage;',
  'icon.svg': '<svg/>',
  'assets/app-1a2b.js': SCRIPT,
  'assets/app-1a2b.js.gz': gzipSync(SCRIPT),
  'assets/app-1a2b.js.br': brotliCompressSync(SCRIPT),
  'assets/app-3c4d.css': 'a{}',
  'assets/only-5e6f.js': SCRIPT,
  'assets/only-5e6f.js.gz': gzipSync(SCRIPT),
  'assets/letters-7a8b.woff2': Buffer.from([0, 1, 2, 255]),
  'assets/loose-9c0d.gz': gzipSync('of no file'),
  'assets/thing-1e2f.strange': 'x',
  '.vite/manifest.json': '{}',
};

async function folderOf(t: Test, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-pages-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

async function bundleOf(t: Test): Promise<Bundle> {
  const bundle = readBundle(await folderOf(t, FILES));
  if (bundle === null) throw new Error('the folder has an index.html');
  return bundle;
}

async function openPages(t: Test, pages?: Bundle | null): Promise<StartedApi> {
  const bundle = pages === undefined ? await bundleOf(t) : pages;
  return startApi(t, [], { limit: { rps: 1, burst: 1 }, trustProxy: false }, null, bundle);
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

async function ask(client: Client, path: string, headers = {}, method = 'GET'): Promise<Got> {
  const message = await client.open(method, path, { headers });
  return { status: message.statusCode ?? 0, headers: message.headers, bytes: await buffer(message) };
}

void test('a bundle contains the files of its folder except dot files', async (t) => {
  const folder = await folderOf(t, FILES);
  await symlink('/etc/passwd', join(folder, 'assets/passwd.txt'));
  const bundle = readBundle(folder);
  const coded = [...(bundle ?? [])].map(([path, file]) => [path, [...file.coded.keys()]] as const);
  t.strictSame(Object.fromEntries(coded), {
    '/index.html': [],
    '/theme.js': [],
    '/icon.svg': [],
    '/assets/app-1a2b.js': ['br', 'gzip'],
    '/assets/app-3c4d.css': [],
    '/assets/only-5e6f.js': ['gzip'],
    '/assets/letters-7a8b.woff2': [],
    '/assets/loose-9c0d.gz': [],
    '/assets/thing-1e2f.strange': [],
  });
  t.equal(readBundle(join(folder, 'nowhere')), null);
  t.equal(readBundle(join(folder, 'assets')), null, 'without index.html there is no application');
});

void test('files have a media type, cache headers and the content security policy', async (t) => {
  const { client } = await openPages(t);
  const cases: readonly (readonly [path: string, type: string, caching: string])[] = [
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'no-cache'],
    ['/theme.js', 'text/javascript; charset=utf-8', 'no-cache'],
    ['/icon.svg', 'image/svg+xml', 'no-cache'],
    ['/assets/app-1a2b.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/app-3c4d.css', 'text/css; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/letters-7a8b.woff2', 'font/woff2', 'public, max-age=31536000, immutable'],
    ['/assets/thing-1e2f.strange', 'application/octet-stream', 'public, max-age=31536000, immutable'],
  ];
  for (const [path, type, caching] of cases) {
    const { status, headers, bytes } = await ask(client, path);
    t.equal(status, 200, path);
    t.match(
      headers,
      {
        'content-type': type,
        'cache-control': caching,
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        etag: /^W\/"[^"]{22}"$/,
        'x-request-id': String,
      },
      path,
    );
    t.notOk('access-control-allow-origin' in headers, path);
    t.notOk('x-api-version' in headers, path);
    const name = path === '/' ? 'index.html' : path.slice(1);
    t.ok(bytes.equals(Buffer.from(FILES[name] ?? 'no such file')), path);
  }
  t.equal((await client.get('/')).text, INDEX, 'no rate limit applies');
});

void test("selects the client's preferred content coding", async (t) => {
  const { client } = await openPages(t);
  const cases: readonly (readonly [
    accepted: string,
    coding: string | undefined,
    only: string | undefined,
  ])[] = [
    ['gzip, deflate, br', 'br', 'gzip'],
    ['br', 'br', undefined],
    ['BR;q=0.5, gzip;q=0.4', 'br', 'gzip'],
    ['br;q=0.4, gzip;q=0.5', 'gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip', 'gzip'],
    ['*', 'br', 'gzip'],
    ['*;q=0', undefined, undefined],
    ['br;q=0, *', 'gzip', 'gzip'],
    ['identity;q=1, gzip;q=0.5', undefined, undefined],
    ['identity;q=0.2, gzip;q=0.5', 'gzip', 'gzip'],
    ['br;q=2', undefined, undefined],
    ['deflate', undefined, undefined],
    ['', undefined, undefined],
  ];
  const decoded = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [accepted, ...codings] of cases) {
    for (const [nth, path] of ['/assets/app-1a2b.js', '/assets/only-5e6f.js'].entries()) {
      const coding = codings[nth] as 'br' | 'gzip' | undefined;
      const { headers, bytes } = await ask(client, path, { 'accept-encoding': accepted });
      t.equal(headers['content-encoding'], coding, `${path} for ${accepted}`);
      t.equal(headers['vary'], 'Accept-Encoding');
      t.equal(headers['content-length'], String(bytes.length));
      t.equal((coding === undefined ? bytes : decoded[coding](bytes)).toString(), SCRIPT);
    }
  }
  const plain = await ask(client, '/', { 'accept-encoding': 'br, gzip' });
  t.notOk('vary' in plain.headers, 'a file without compressed copies has no Vary header');
  t.notOk('content-encoding' in plain.headers);
});

void test('a cached file gets 304, and HEAD has no body', async (t) => {
  const { client } = await openPages(t);
  for (const path of ['/', '/assets/app-1a2b.js', '/theme.js']) {
    const accepting = { 'accept-encoding': 'br' };
    const first = await ask(client, path, accepting);
    const etag = String(first.headers['etag']);
    for (const known of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
      const again = await ask(client, path, { 'if-none-match': known });
      t.match(again, { status: 304, bytes: Buffer.alloc(0) }, `${path} ${known}`);
      t.equal(again.headers['etag'], etag);
      t.equal(again.headers['cache-control'], first.headers['cache-control']);
      t.equal(again.headers['vary'], first.headers['vary']);
      t.notOk('content-type' in again.headers);
    }
    t.equal((await ask(client, path, { 'if-none-match': '"other"' })).status, 200);
    const head = await ask(client, path, accepting, 'HEAD');
    t.equal(head.status, 200);
    t.equal(head.bytes.length, 0);
    for (const name of ['content-length', 'content-encoding', 'content-type', 'etag', 'cache-control'])
      t.equal(head.headers[name], first.headers[name], `${path} ${name}`);
  }
});

void test("navigation gets the application's page, and a missing file for a script gets 404", async (t) => {
  const { client } = await openPages(t);
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of [
    '/jobs',
    '/jobs/0198?tab=tasks',
    '/jobs/',
    '/healthz2',
    '/apis',
    '/API/v1',
    '//x',
    '/a%20b',
  ])
    t.equal((await client.get(path, browser)).text, INDEX, path);
  t.equal((await client.get('/')).text, INDEX, 'for every client');
  t.equal((await client.get('/catalogs/pools/nuke.r', browser)).text, INDEX);
  const missing: readonly (readonly [string, Record<string, string>])[] = [
    ['/jobs', {}],
    ['/jobs', { accept: '*/*' }],
    ['/nowhere.js', {}],
    ['/favicon.ico', { accept: 'image/*,*/*' }],
    ['/nowhere.js', { accept: 'text/html;q=0' }],
    ['/assets/app-0000.js', browser],
    ['/assets/app', browser],
    ['/assets/', browser],
    ['/.vite/manifest.json', {}],
    ['/assets/app-1a2b.js.gz', {}],
    ['/assets/app-1a2b.js.br', {}],
  ];
  for (const [path, headers] of missing) {
    const answer = await client.get(path, headers);
    t.match(answer, { status: 404, headers: { 'content-type': 'application/problem+json' } }, path);
    t.equal(answer.headers['cache-control'], 'no-store', 'a missing file must not be cached');
  }
  for (const path of ['/api', '/api/', '/api/v2/jobs', '/debug', '/debug/pprof/', '/healthz/x', '/metrics/x'])
    t.match(await client.get(path, browser), { status: 404, headers: { 'content-type': /problem/ } }, path);
  for (const [method, path] of [
    ['POST', '/'],
    ['PUT', '/index.html'],
    ['PURGE', '/assets/app-1a2b.js'],
  ] as const)
    t.match(
      await client.send(method, path),
      { status: 405, headers: { allow: 'GET, HEAD' } },
      `${method} ${path}`,
    );
  for (const [method, path] of [
    ['DELETE', '/nowhere.js'],
    ['OPTIONS', '/jobs'],
    ['POST', '/jobs'],
  ] as const)
    t.match(await client.send(method, path), { status: 404 }, `${method} ${path}`);
});

void test('no path can reach files outside the application', async (t) => {
  const { client, api } = await openPages(t);
  const paths = [
    '/../../../../etc/passwd.txt',
    '/assets/../../../../etc/passwd.txt',
    '/%2e%2e/%2e%2e/etc/passwd.txt',
    '/..%2f..%2fetc%2fpasswd.txt',
    '/%252e%252e/passwd.txt',
    '/..\\..\\etc\\passwd.txt',
    '/..%5c..%5cpasswd.txt',
    '/%c0%ae%c0%ae/passwd.txt',
    '/theme.js%00.svg',
    '/theme.js%00',
    '/theme.js/',
    '/./theme.js',
    '/%74heme.js',
    `/${'a/'.repeat(5000)}x.txt`,
    '/__proto__.js',
  ];
  for (const path of paths) {
    const reply = await client.raw(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    t.match(reply, /^HTTP\/1\.1 (404|200) /, path.slice(0, 60));
    const isIndex = reply.endsWith(`\r\n\r\n${INDEX}`);
    t.ok(reply.startsWith('HTTP/1.1 404') || isIndex, `${path.slice(0, 60)}: only the application's page`);
    t.notMatch(reply, /root:|localStorage/, path.slice(0, 60));
  }
  for (const path of ['/constructor', '/__proto__', '/toString'])
    t.equal((await client.get(path, { accept: 'text/html' })).text, INDEX, path);
  t.match(
    await client.raw('GET /a\0b.js HTTP/1.1\r\nHost: a\r\n\r\n'),
    testEngine().name === 'node' ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 505 /,
    'no path contains this character',
  );
  t.same(api.asked, []);
});

void test('without the application, the page explains how to build it', async (t) => {
  const { client } = await openPages(t, null);
  for (const path of ['/', '/jobs', '/assets/app-1a2b.js']) {
    const answer = await client.get(path);
    t.match(answer, { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } }, path);
    t.match(answer.text, /npm run build/);
    t.match(answer.headers, { 'cache-control': 'no-store', 'content-security-policy': /default-src 'none'/ });
  }
  t.equal((await client.send('POST', '/')).status, 405);
  t.equal((await client.get('/healthz')).status, 200);
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { test } from 'tap';
import { COMPRESSED_BYTES_MIN } from '../../../http/pipeline/compress.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { Client } from '../kit/client.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FARM, farmRecord, jobChanges, taskIdAt } from '../kit/records.ts';

interface Coded {
  readonly status: number;
  readonly coding: string | undefined;
  readonly length: number;
  readonly vary: string | undefined;
  readonly etag: string | undefined;
  readonly bytes: Buffer;
}

async function ask(client: Client, path: string, accept: string | null, method = 'GET'): Promise<Coded> {
  const headers = accept === null ? {} : { 'accept-encoding': accept };
  const message = await client.open(method, path, { headers });
  return {
    status: message.statusCode ?? 0,
    coding: message.headers['content-encoding'],
    length: Number(message.headers['content-length']),
    vary: message.headers.vary,
    etag: message.headers.etag,
    bytes: await buffer(message),
  };
}

/** Stores a farm with about this many bytes of JSON. */
function furnish(fixture: ApiFixture, bytes: number): void {
  fixture.write(put('farm', keys.farm(FARM), farmRecord({ description: 'lang '.repeat(bytes / 5) })));
}

void test('a body of at least 1 KiB is compressed on request, with the same tag', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, 5000);
  for (const path of ['/api/v1/farms', `/api/v1/farms/${FARM}`, '/api/v1/openapi.yaml']) {
    const plain = await ask(client, path, null);
    t.match(plain, { status: 200, coding: undefined, vary: 'Accept-Encoding' }, path);
    const coded = await ask(client, path, 'gzip, deflate, br');
    t.match(coded, { status: 200, coding: 'gzip', vary: 'Accept-Encoding', etag: plain.etag }, path);
    t.equal(coded.length, coded.bytes.length);
    t.ok(coded.length < plain.length / 2, path);
    t.ok(gunzipSync(coded.bytes).equals(plain.bytes), path);
    const head = await ask(client, path, 'gzip', 'HEAD');
    t.match(head, { status: 200, coding: 'gzip', length: coded.length, etag: plain.etag }, path);
    t.equal(head.bytes.length, 0);
    const again = await client.open('GET', path, {
      headers: { 'accept-encoding': 'gzip', 'if-none-match': plain.etag },
    });
    t.equal(again.statusCode, 304);
    t.notOk('content-encoding' in again.headers);
    t.equal((await buffer(again)).length, 0);
  }
});

void test('Accept-Encoding is respected', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, 5000);
  const cases: [string, string | undefined][] = [
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['br;q=1, gzip;q=0.2', 'gzip'],
    ['gzip; q=0.001', 'gzip'],
    ['gzip;q=1.000', 'gzip'],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, *', 'gzip'],
    ['deflate, br', undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, *', undefined],
    ['*;q=0', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['gzip;q=2', undefined],
    ['gzip;q=abc', undefined],
    ['gzipped', undefined],
  ];
  for (const [accept, coding] of cases) {
    const answer = await ask(client, '/api/v1/farms', accept);
    t.equal(answer.coding, coding, accept);
    const body = coding === undefined ? answer.bytes : gunzipSync(answer.bytes);
    t.match(JSON.parse(String(body)), [{ id: FARM }], accept);
  }
});

void test('a small body is not compressed, and the limit is exact', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('farm', keys.farm(FARM), farmRecord({ description: 'x' })));
  const path = `/api/v1/farms/${FARM}`;
  const base = (await ask(client, path, null)).length - 1;
  const describe = (length: number): void => {
    api.write(put('farm', keys.farm(FARM), farmRecord({ description: 'ä'.padEnd(length - 1, 'x') })));
  };
  describe(COMPRESSED_BYTES_MIN - base - 1);
  t.match(await ask(client, path, 'gzip'), { coding: undefined, length: COMPRESSED_BYTES_MIN - 1 });
  describe(COMPRESSED_BYTES_MIN - base);
  t.match(await ask(client, path, 'gzip'), { coding: 'gzip' });
  t.equal((await ask(client, path, null)).length, COMPRESSED_BYTES_MIN, 'bytes count, not characters');
});

void test('a stream is never compressed', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({ status: 'canceled' }, [
      { name: 'render', untouched: 'canceled', taskCount: 1, space: { kind: 'single' }, touched: new Map() },
    ]),
  );
  // Long enough after the end that the follower waits for nothing.
  api.now += 60_000;
  const tail = await ask(client, `/api/v1/tasks/${taskIdAt(0, 0)}/logs?tail=true`, 'gzip');
  t.match(tail, { status: 200, coding: undefined, vary: undefined, etag: undefined });
  const text = await ask(client, `/api/v1/tasks/${taskIdAt(0, 0)}/log`, 'gzip');
  t.match(text, { status: 200, coding: undefined, vary: undefined, etag: 'W/"0-0"' });
});

void test('a client that disconnects during compression leaks nothing', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, 500_000);
  for (let each = 0; each < 20; each++) {
    const socket = connect(client.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /api/v1/farms HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
    // The engine answers in order, so a later answer shows that the request was received.
    t.equal((await ask(client, '/healthz', null)).status, 200);
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  t.equal((await ask(client, '/healthz', null)).status, 200);
  t.same(api.logged, []);
});

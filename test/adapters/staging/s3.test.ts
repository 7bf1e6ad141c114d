import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { test, type Test } from 'tap';
import { startS3, type S3Server } from '../../kit/s3-server.ts';
import { readTree, writeTree, StagingHarness } from './staging-harness.ts';

async function open(t: Test): Promise<{ readonly s3: S3Server; readonly bench: StagingHarness }> {
  const bench = await StagingHarness.open(t);
  const s3 = await startS3(join(bench.storage, '../s3'), ['shows', 'others']);
  t.teardown(() => s3.close());
  const before = { ...process.env };
  // The SDK reads the credentials from the environment of the process.
  Object.assign(process.env, s3.environment);
  t.teardown(() => {
    for (const name of Object.keys(s3.environment)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  return { s3, bench };
}

const put = ({ client }: S3Server, Key: string, Body: string | Buffer) =>
  client.send(new PutObjectCommand({ Bucket: 'shows', Key, Body }));

async function get({ client }: S3Server, Bucket: string): Promise<Record<string, string>> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
  const found: Record<string, string> = {};
  for (const { Key = '' } of Contents) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    found[Key] = (await Body?.transformToString()) ?? '';
  }
  return found;
}

void test('objects below a prefix are copied in and out', async (t) => {
  const { s3, bench } = await open(t);
  await put(s3, 'proj/show/a.txt', 'a');
  await put(s3, 'proj/show/deep/b.txt', 'b');
  await put(s3, 'proj/showreel/c.txt', 'of another prefix');
  const show = bench.transfer({ root: 's3://shows/proj', below: ['show'] });
  t.equal(await bench.copy('in', [show]), null);
  t.strictSame(await readTree(show.local), { 'a.txt': 'a', 'deep/b.txt': 'b' });
  await writeTree(show.local, { 'a.txt': 'A', 'new/frame 1.exr': 'frame' });
  t.equal(await bench.copy('out', [show]), null);
  t.strictSame(await get(s3, 'shows'), {
    'proj/show/a.txt': 'A',
    'proj/show/deep/b.txt': 'b',
    'proj/show/new/frame 1.exr': 'frame',
    'proj/showreel/c.txt': 'of another prefix',
  });
  t.strictSame(await get(s3, 'others'), {});
});

void test('one object is copied in and out as a file', async (t) => {
  const { s3, bench } = await open(t);
  await put(s3, 'scene.ma', 'scene');
  const scene = bench.transfer({ root: 's3://shows', below: ['scene.ma'], objectType: 'FILE' });
  const log = bench.transfer({
    parameter: 'Log',
    root: 's3://shows',
    below: ['logs', 'x.log'],
    objectType: 'FILE',
    flow: 'OUT',
    localBelow: ['staged', 'Log', 'x.log'],
  });
  t.equal(await bench.copy('in', [scene, log]), null);
  t.equal(await readFile(scene.local, 'utf8'), 'scene');
  await writeTree(bench.session, { 'staged/P/scene.ma': 'scene!', 'staged/Log/x.log': '' });
  t.equal(await bench.copy('out', [scene, log]), null);
  t.strictSame(await get(s3, 'shows'), { 'logs/x.log': '', 'scene.ma': 'scene!' });
});

void test('a large file is transferred in parts and arrives complete', async (t) => {
  const { s3, bench } = await open(t);
  const content = randomBytes(20 * 1024 * 1024 + 17);
  const out = bench.transfer({ root: 's3://shows', below: ['big'], flow: 'OUT' });
  t.equal(await bench.copy('in', [out]), null);
  await writeFile(join(out.local, 'volume.vdb'), content);
  t.equal(await bench.copy('out', [out]), null);
  const { Body } = await s3.client.send(new GetObjectCommand({ Bucket: 'shows', Key: 'big/volume.vdb' }));
  t.ok(content.equals(Buffer.from((await Body?.transformToByteArray()) ?? [])));
  const back = bench.transfer({
    root: 's3://shows',
    below: ['big'],
    flow: 'IN',
    localBelow: ['staged', 'back'],
  });
  t.equal(await bench.copy('in', [back]), null);
  t.ok(content.equals(await readFile(join(back.local, 'volume.vdb'))));
});

void test('a missing object, or a key that is not a valid path, is named', async (t) => {
  const { bench } = await open(t);
  const reasonOf = (parts: Parameters<StagingHarness['transfer']>[0]) =>
    bench.copy('in', [bench.transfer({ root: 's3://shows', flow: 'IN', ...parts })]);
  const start = 'stage_locally: copy in of parameter P: "s3://';
  t.equal(await reasonOf({ below: ['nothing'] }), `${start}shows/nothing" does not exist`);
  t.equal(await reasonOf({ below: ['no.txt'], objectType: 'FILE' }), `${start}shows/no.txt" does not exist`);
  t.equal(
    await reasonOf({ below: [], objectType: 'FILE' }),
    `${start}shows" is a bucket, and the parameter is a FILE`,
  );
  t.match(
    await reasonOf({ root: 's3://no-such-bucket', below: ['a'] }),
    /"s3:\/\/no-such-bucket\/a": S3 answered NoSuchBucket/,
  );
});

void test('keys that are not valid paths are rejected', async (t) => {
  const { bench } = await open(t);
  let key = '';
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/xml');
    const contents = `<Contents><Key>${key}</Key><Size>1</Size><ETag>"e"</ETag></Contents>`;
    response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  process.env['AWS_ENDPOINT_URL_S3'] = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  for (key of ['evil/../../x', 'evil/x//y', 'evil/./x', 'evil//x', 'evil/x/..']) {
    const evil = bench.transfer({ root: 's3://shows', below: ['evil'], flow: 'IN' });
    t.equal(
      await bench.copy('in', [evil]),
      `stage_locally: copy in of parameter P: "s3://shows/${key}" has a key that is not a valid file path`,
    );
  }
  t.strictSame(await readTree(bench.session), { 'staged/P/evil': '(empty)' });
});

import { appendFile, mkdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import * as sdk from '@aws-sdk/client-s3';
import { test, type Test } from 'tap';
import { FilesystemLocation } from '../../../src/adapters/staging/filesystem-location.ts';
import type { FoundFile } from '../../../src/adapters/staging/staging-location.ts';
import { S3Location } from '../../../src/adapters/staging/s3-location.ts';
import { startS3 } from '../../kit/s3-server.ts';
import { readTree } from './staging-harness.ts';

const MIB = 1024 * 1024;
const { signal } = new AbortController();

async function open(t: Test): Promise<{ readonly root: string; readonly place: FilesystemLocation }> {
  const root = t.testdir();
  await mkdir(join(root, 'o'));
  const modes = { file: 0o666, directory: 0o777 };
  const place = await FilesystemLocation.open({
    root,
    below: ['o'],
    links: 'inside',
    owner: null,
    ownOnly: false,
    modes,
  });
  t.teardown(() => place.close());
  return { root, place };
}

const file = (size: number, name = 'f'): FoundFile => ({
  below: [name],
  size,
  stamp: '',
  isExecutable: false,
});

/** Reads to the end, with an action after the first piece. */
async function drain(content: AsyncIterable<Uint8Array>, between: () => Promise<unknown>): Promise<number> {
  let bytes = 0;
  for await (const piece of content) {
    if (bytes === 0) await between();
    bytes += piece.length;
  }
  return bytes;
}

void test('a file that changes after it was found, or while it is read, is not copied', async (t) => {
  const { root, place } = await open(t);
  const path = join(root, 'o/f');
  const find = async (): Promise<FoundFile> => {
    await writeFile(path, Buffer.alloc(3 * MIB, 'x'));
    const found = (await place.list(signal))?.files[0];
    if (found === undefined) throw new Error('the file was not found');
    return found;
  };
  t.equal(await drain(place.read(await find(), signal), () => Promise.resolve()), 3 * MIB);
  const changed = { message: `${JSON.stringify(path)} was changed while it was copied` };
  const before = await find();
  await appendFile(path, 'y');
  await t.rejects(
    drain(place.read(before, signal), () => Promise.resolve()),
    changed,
  );
  await t.rejects(
    drain(place.read(await find(), signal), () => appendFile(path, 'y')),
    changed,
    'the file grows',
  );
  await t.rejects(
    drain(place.read(await find(), signal), () => truncate(path, 2 * MIB)),
    changed,
    'the file shrinks',
  );
});

void test('a file that cannot be written completely is not left behind', async (t) => {
  const { root, place } = await open(t);
  await writeFile(join(root, 'o/f'), 'old');
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    await Promise.reject(new Error('broken'));
  }
  await t.rejects(place.write(file(8), broken(), signal), {
    message: `${JSON.stringify(join(root, 'o/f'))} cannot be copied: broken`,
  });
  t.strictSame(await readTree(root), { 'o/f': 'old' });
  const canceled = AbortSignal.abort();
  async function* whole(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    yield Buffer.from('whole');
  }
  await t.rejects(place.write(file(5), whole(), canceled));
  t.strictSame(await readTree(root), { 'o/f': 'old' });
  await place.write({ ...file(5), isExecutable: true }, whole(), signal);
  t.strictSame(await readTree(root), { 'o/f': 'whole' });
  t.equal((await stat(join(root, 'o/f'))).mode & 0o100, 0o100);
});

void test('data that does not fit is rejected before the copy', async (t) => {
  const { place } = await open(t);
  await place.makeRoom(1);
  await t.rejects(place.makeRoom(2 ** 60), {
    message: /has no room: \d+ bytes are to be copied, and \d+ are free$/,
  });
});

void test('an interrupted upload leaves no object and no parts', async (t) => {
  const s3 = await startS3(t.testdir(), []);
  t.teardown(() => s3.close());
  await s3.client.send(new CreateBucketCommand({ Bucket: 'shows' }));
  const sent: string[] = [];
  s3.client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        sent.push(commandName ?? '');
        return next(args);
      },
    { step: 'initialize' },
  );
  const place = new S3Location(
    { client: s3.client, sdk },
    { bucket: 'shows', key: 'big', isDirectory: true },
  );
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(9 * MIB);
    await Promise.reject(new Error('broken'));
  }
  await t.rejects(place.write(file(20 * MIB), broken(), signal), { message: /^broken/ });
  t.equal(sent.at(-1), 'AbortMultipartUploadCommand');
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket: 'shows' }));
  t.strictSame(Contents, []);
  await t.rejects(place.write(file(2 ** 50), broken(), signal), {
    message: `"s3://shows/big/f" has ${2 ** 50} bytes, and the most is ${10_000 * 32 * MIB}`,
  });
});

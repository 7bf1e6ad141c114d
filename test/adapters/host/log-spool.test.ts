import fc from 'fast-check';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { FileLogSpool } from '../../../src/adapters/host/log-spool.ts';
import { attemptIdOf, jobId, taskIdOf, type AttemptId } from '../../../src/core/ids.ts';
import type { LogMessage } from '../../../src/core/wire/bus-messages.ts';

const JOB = jobId('01a1fd82-e00a-7000-a570-2591ceef5326');
const attempt = (index: number): AttemptId =>
  attemptIdOf({ jobId: JOB, stepOrder: 0, index, attemptNumber: 1 });
const chunk = (index: number, number: number, data = `line ${number}\n`): LogMessage => ({
  v: 1,
  task_id: taskIdOf({ jobId: JOB, stepOrder: 0, index }),
  attempt_id: attempt(index),
  seq_num: number,
  stream: 'stdout',
  data,
  at: '2026-11-20T12:00:00.000Z',
});
const SIZE = Buffer.byteLength(JSON.stringify(chunk(0, 1))) + 1;

interface Opened {
  readonly spool: FileLogSpool;
  readonly warned: string[];
}

async function open(directory: string, bytesMax = 1_000_000): Promise<Opened> {
  const warned: string[] = [];
  const spool = await FileLogSpool.open(directory, {
    bytesMax,
    warn: (text, { reason }) => warned.push(`${text}: ${reason ?? ''}`),
  });
  return { spool, warned };
}

const directoryOf = (t: Test): string => join(t.testdir({}), 'spool');
const filesIn = (directory: string): string[] => readdirSync(directory).filter((name) => name !== 'damaged');
const modeOf = (path: string): number => statSync(path).mode & 0o777;

test('chunks are returned in order, and their file is deleted with the last one', async (t) => {
  const directory = directoryOf(t);
  const { spool, warned } = await open(directory);
  const [a, b] = [attempt(0), attempt(1)];
  t.same(await spool.append(a, [chunk(0, 1), chunk(0, 2)], false), { kept: 2, failure: null });
  t.same(await spool.append(b, [chunk(1, 1)], false), { kept: 1, failure: null });
  t.same(await spool.append(a, [chunk(0, 3)], false), { kept: 1, failure: null });
  t.equal(modeOf(directory), 0o700);
  t.same(filesIn(directory), [`${a}.jsonl`, `${b}.jsonl`]);
  for (const name of filesIn(directory)) t.equal(modeOf(join(directory, name)), 0o600);
  t.same(await spool.front(a, 2), [chunk(0, 1), chunk(0, 2)]);
  t.equal(await spool.removeFront(a, 1), true);
  t.same(await spool.front(a, 8), [chunk(0, 2), chunk(0, 3)]);
  t.equal(await spool.removeFront(a, 2), false);
  t.same(filesIn(directory), [`${b}.jsonl`]);
  t.same(await spool.front(a, 8), []);
  t.same(
    await spool.append(a, [chunk(0, 4)], false),
    { kept: 1, failure: null },
    'the attempt can append again',
  );
  t.same(await spool.front(a, 8), [chunk(0, 4)]);
  t.same(warned, []);
  await spool.close();
});

test('the next daemon finds all unsent chunks', async (t) => {
  const directory = directoryOf(t);
  const first = await open(directory);
  await first.spool.append(attempt(0), [chunk(0, 1), chunk(0, 2)], false);
  await first.spool.front(attempt(0), 1);
  await first.spool.removeFront(attempt(0), 1);
  await first.spool.close();
  const { spool } = await open(directory);
  t.same(spool.attempts, [attempt(0)]);
  t.same(await spool.front(attempt(0), 8), [chunk(0, 1), chunk(0, 2)], 'a chunk may be sent twice');
  t.equal(await spool.removeFront(attempt(0), 2), false);
  await spool.close();
});

test('the limit applies to all attempts together, with a reserve for ends', async (t) => {
  const { spool } = await open(directoryOf(t), 8 * SIZE);
  const chunks = Array.from({ length: 5 }, (_, index) => chunk(0, index + 1));
  t.same(await spool.append(attempt(0), chunks, false), { kept: 5, failure: null });
  const full = 'worker.log_spool_bytes is reached';
  t.same(await spool.append(attempt(1), [chunk(1, 1), chunk(1, 2), chunk(1, 3)], false), {
    kept: 2,
    failure: full,
  });
  t.same(await spool.append(attempt(2), [chunk(2, 1)], false), { kept: 0, failure: full });
  t.same(await spool.append(attempt(2), [chunk(2, 1), chunk(2, 2)], true), { kept: 1, failure: full });
  await spool.front(attempt(0), 8);
  await spool.removeFront(attempt(0), 5);
  t.same(
    await spool.append(attempt(1), [chunk(1, 3)], false),
    { kept: 1, failure: null },
    'there is space again',
  );
  await spool.close();
  const nothing = await open(directoryOf(t), 0);
  t.same(await nothing.spool.append(attempt(3), [chunk(3, 1)], true), { kept: 0, failure: full });
  await nothing.spool.close();
});

test('many attempts that write in parallel stay within the limit', async (t) => {
  const directory = directoryOf(t);
  const { spool } = await open(directory, 100 * SIZE);
  const kept = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      let sum = 0;
      for (let number = 1; number <= 40; number += 4) {
        const four = [0, 1, 2, 3].map((more) => chunk(index, number + more));
        sum += (await spool.append(attempt(index), four, false)).kept;
      }
      return sum;
    }),
  );
  const sizes = filesIn(directory).map((name) => statSync(join(directory, name)).size);
  t.ok(sizes.reduce((sum, size) => sum + size, 0) <= 100 * SIZE);
  t.ok(kept.reduce((sum, count) => sum + count, 0) > 70);
  await spool.close();
});

test('a damaged file is set aside and logged, and the intact part before the damage is sent', async (t) => {
  const directory = directoryOf(t);
  const first = await open(directory);
  for (const index of [0, 1, 2, 3])
    await first.spool.append(attempt(index), [chunk(index, 1), chunk(index, 2)], false);
  await first.spool.close();
  const path = (index: number): string => join(directory, `${attempt(index)}.jsonl`);
  const whole = readFileSync(path(0), 'utf8');
  writeFileSync(path(0), whole.slice(0, -5));
  writeFileSync(path(1), Buffer.alloc(300));
  writeFileSync(path(4), `${'x'.repeat(50)}\n${whole}`);
  writeFileSync(path(2), whole);
  writeFileSync(path(3), '');
  writeFileSync(join(directory, 'stranger'), 'x');
  mkdirSync(join(directory, `${attempt(7)}.jsonl`));
  symlinkSync('/etc/passwd', join(directory, `${attempt(8)}.jsonl`));
  const { spool, warned } = await open(directory);
  t.same(await spool.front(attempt(0), 8), [chunk(0, 1)]);
  t.equal(await spool.removeFront(attempt(0), 1), true);
  for (const index of [0, 1, 2, 3, 4]) {
    t.same(await spool.front(attempt(index), 8), []);
    t.equal(await spool.removeFront(attempt(index), 0), false);
  }
  t.same(
    warned.map((line) => line.replace(/^a spooled log is damaged: it is put aside: /, '')).sort(),
    [
      'attempt_id',
      'it ends within a line',
      'it ends within a line',
      'it ends within a line',
      'it is not a spool file',
      'it is not a spool file',
      'it is not a spool file',
      'message: not valid JSON',
    ].sort(),
  );
  t.equal(readdirSync(join(directory, 'damaged')).length, 4, 'the file is not kept forever');
  t.same(filesIn(directory), []);
  t.match(readFileSync('/etc/passwd', 'utf8'), 'root');
  await spool.close();
});

test('a chunk of any text round-trips', async (t) => {
  const directory = directoryOf(t);
  const { spool } = await open(directory, 10_000_000);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 200, size: 'max' }), async (text) => {
      const one = chunk(0, ++number, text);
      await spool.append(attempt(0), [one], false);
      t.same(await spool.front(attempt(0), 8), [one]);
      t.equal(await spool.removeFront(attempt(0), 1), false);
    }),
  );
  const large = Array.from({ length: 20 }, (_, index) => chunk(0, index + 1, '\u0001'.repeat(32 * 1024)));
  t.match(await spool.append(attempt(0), large, false), { kept: 20 });
  const back: LogMessage[] = [];
  for (let isRest = true; isRest;) {
    const front = await spool.front(attempt(0), 8);
    back.push(...front);
    isRest = await spool.removeFront(attempt(0), front.length);
  }
  t.same(back, large);
  await spool.close();
});

test('the limit counts the files of an earlier daemon', async (t) => {
  const directory = directoryOf(t);
  const first = await open(directory);
  await first.spool.append(attempt(0), [chunk(0, 1), chunk(0, 2)], false);
  await first.spool.close();
  const { spool } = await open(directory, 3 * SIZE);
  t.match(await spool.append(attempt(1), [chunk(1, 1), chunk(1, 2)], true), { kept: 1 });
  t.equal(await spool.removeFront(attempt(0), 1), true);
  t.same(await spool.front(attempt(0), 2), [chunk(0, 1), chunk(0, 2)], 'nothing was read before');
  t.equal(await spool.removeFront(attempt(0), 2), false);
  t.match(await spool.append(attempt(1), [chunk(1, 2), chunk(1, 3)], true), { kept: 2 });
  await spool.close();
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open as openFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { FileJournal } from '../../../src/adapters/host/file-journal.ts';
import type { AttemptId, TaskId, WorkerId } from '../../../src/core/ids.ts';
import type { JournalChange } from '../../../src/core/ports/agent-journal.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { mountFault, mountSmallDisk } from '../../kit/small-disk.ts';

const report = (attempt: string, message = ''): StatusMessage => ({
  v: 1,
  task_id: 'task' as TaskId,
  attempt_id: attempt as AttemptId,
  worker_id: 'worker-1' as WorkerId,
  status: 'failed',
  exit_code: 3,
  message,
  timestamp: '2026-11-20T00:00:00.000Z',
  session_id: 'session',
});
const kept = (attempt: string, message?: string): JournalChange => ({
  op: 'report-kept',
  report: report(attempt, message),
});
const confirmed = (attempt: string): JournalChange => ({
  op: 'report-confirmed',
  attemptId: attempt as AttemptId,
});

function directory(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'callsheet-journal-'));
  t.teardown(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

function open(path: string): Promise<FileJournal> {
  return FileJournal.open(
    path,
    () => 'worker-1',
    (error) => {
      throw error;
    },
  );
}

const append = (journal: FileJournal, ...changes: JournalChange[]): Promise<void> =>
  new Promise((resolve) => {
    journal.append(changes, resolve);
  });

test('a worker gets its ID once and keeps it', async (t) => {
  const path = directory(t);
  const first = await open(path);
  t.equal(first.workerId, 'worker-1');
  await first.close();
  const again = await FileJournal.open(
    path,
    () => 'never',
    () => undefined,
  );
  t.equal(again.workerId, 'worker-1');
  await append(again, { op: 'worker-identified', workerId: 'worker-9' as WorkerId });
  t.equal(again.workerId, 'worker-9');
  await again.close();
  const third = await open(path);
  t.equal(third.workerId, 'worker-9');
  await third.close();
});

test('reports survive a kill of the daemon until they are confirmed', async (t) => {
  const path = directory(t);
  const first = await open(path);
  await append(first, kept('a'), kept('b'));
  await append(first, kept('c', 'line one\nline two'), confirmed('a'));
  const second = await open(path);
  t.same(second.reports, [report('b'), report('c', 'line one\nline two')]);
  await append(second, confirmed('b'), confirmed('c'), confirmed('never-kept'));
  const third = await open(path);
  t.same(third.reports, []);
  t.equal(readFileSync(join(path, 'journal.jsonl'), 'utf8'), '', 'a start keeps only current entries');
  for (const journal of [first, second, third]) await journal.close();
});

test('callbacks run in the order of the calls, each after its lines are in the file', async (t) => {
  const path = directory(t);
  const journal = await open(path);
  const seen: string[] = [];
  const lines = (): number => readFileSync(join(path, 'journal.jsonl'), 'utf8').split('\n').length - 1;
  await new Promise<void>((resolve) => {
    journal.append([kept('a')], () => seen.push(`a ${lines() >= 1}`));
    journal.append([kept('b')], () => seen.push(`b ${lines() >= 2}`));
    journal.append([], () => seen.push('nothing'));
    journal.append([kept('c')], () => {
      seen.push(`c ${lines() >= 3}`);
      resolve();
    });
  });
  t.same(seen, ['a true', 'b true', 'nothing', 'c true']);
  await journal.close();
});

test('a torn last line is dropped, at any position', async (t) => {
  const path = directory(t);
  const file = join(path, 'journal.jsonl');
  const whole = `${JSON.stringify({ op: 'report-kept', report: report('a') })}\n`;
  const torn = JSON.stringify({ op: 'report-confirmed', attempt_id: 'a' });
  for (let length = 0; length <= torn.length; length++) {
    writeFileSync(file, whole + torn.slice(0, length));
    const journal = await open(path);
    t.same(journal.reports, [report('a')]);
    await append(journal, kept('b'));
    await journal.close();
    t.equal(readFileSync(file, 'utf8').split('\n').length, 3);
  }
});

test('a damaged line before the last one, or a damaged identity, prevents the start', async (t) => {
  const path = directory(t);
  await (await open(path)).close();
  for (const line of [
    '{"op":"report-kept"}',
    '{"op":"unknown"}',
    'x',
    '{"op":"report-kept","report":{"v":2}}',
    '',
  ]) {
    writeFileSync(join(path, 'journal.jsonl'), `${line}\n`);
    await t.rejects(open(path), /journal\.jsonl: line 1 is broken/);
  }
  rmSync(join(path, 'journal.jsonl'));
  for (const identity of ['', '{}', '{"worker_id":""}', '[]']) {
    writeFileSync(join(path, 'identity.json'), identity);
    await t.rejects(open(path), /identity\.json is broken/);
  }
});

test('confirmed reports do not make the file grow', async (t) => {
  const path = directory(t);
  const journal = await open(path);
  await append(journal, kept('stays'));
  for (let round = 0; round < 4; round++) {
    const changes = Array.from({ length: 2000 }, (_, index) => [
      kept(`${round}-${index}`),
      confirmed(`${round}-${index}`),
    ]);
    await append(journal, ...changes.flat());
  }
  t.ok(readFileSync(join(path, 'journal.jsonl'), 'utf8').split('\n').length < 10_000);
  t.same(journal.reports, [report('stays')]);
  await append(journal, kept('after'));
  await journal.close();
  const again = await open(path);
  t.same(again.reports, [report('stays'), report('after')]);
  await again.close();
});

test('a failed write is reported, and there is no callback', async (t) => {
  const path = directory(t);
  const failure = new Promise<unknown>((resolve) => {
    void FileJournal.open(path, () => 'worker-1', resolve).then(async (journal) => {
      await journal.close();
      journal.append([kept('a')], () => t.fail('the callback ran'));
    });
  });
  t.ok((await failure) instanceof Error);
});

test('reports are written even if tasks have filled the disk', { skip: mountFault() }, async (t) => {
  const disk = mountSmallDisk(t, 4 * 2 ** 20);
  const { path } = disk;
  const journal = await open(path);
  disk.fill();
  await t.rejects(writeFile(join(path, 'other'), 'x'.repeat(10_000)), { code: 'ENOSPC' });
  const attempts = Array.from({ length: 100 }, (_, index) => `full-${index}`);
  for (const attempt of attempts) await append(journal, kept(attempt, 'm'.repeat(1000)));
  await journal.close();
  disk.empty();
  const again = await open(path);
  t.same(
    again.reports.map(({ attempt_id: id }) => id),
    attempts,
  );
  await again.close();
});

test('a report is flushed to the disk before it counts as durable, and a confirmation need not be', async (t) => {
  const journal = await open(directory(t));
  const events: string[] = [];
  const probe = await openFile(join(directory(t), 'probe'), 'w');
  const files = Object.getPrototypeOf(probe) as { datasync: typeof probe.datasync };
  await probe.close();
  const { datasync } = files;
  files.datasync = async function flush(this: typeof probe): Promise<void> {
    await datasync.call(this);
    events.push('flushed');
  };
  t.teardown(() => {
    files.datasync = datasync;
  });
  await append(journal, kept('a'));
  events.push('durable');
  await append(journal, confirmed('a'));
  events.push('durable');
  t.same(events, ['flushed', 'durable', 'durable']);
  await journal.close();
});

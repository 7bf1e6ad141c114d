import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { test, type Test } from 'tap';
import {
  encodeChangeSet,
  readChangeSet,
  type EncodedChangeSet,
} from '../../../src/adapters/lmdb/change-set-codec.ts';
import { CommitPipeline } from '../../../src/adapters/lmdb/commit-pipeline.ts';
import { openStateReader, type StateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { piecesOf } from '../../../src/adapters/lmdb/provisional-jobs.ts';
import { encodeValue } from '../../../src/adapters/lmdb/value-encoder.ts';
import { jobId } from '../../../src/core/ids.ts';
import type { Acceptance, AppliedMark, Journal, JournalEntry } from '../../../src/core/ports/journal.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { jobNumber, jobPlan, jobRecord } from '../../http/kit/records.ts';
import { farmNamed } from './fixed-rows.ts';
import { writerOptions } from './store-kit.ts';

/** A journal whose entries get their outcome when the test says so, as those of a journal on other machines. */
class SlowJournal implements Journal {
  readonly entries: JournalEntry[] = [];
  readonly #waiting: ((acceptance: Acceptance) => void)[] = [];
  position = 0;
  appliedPosition = 0;

  submit(entry: JournalEntry, onAccepted: (acceptance: Acceptance) => void): void {
    this.entries.push(entry);
    this.#waiting.push(onAccepted);
  }

  get pending(): number {
    return this.#waiting.length;
  }

  /** Accepts the oldest entry without an outcome. */
  accept(isDurable = true): void {
    const onAccepted = this.#waiting.shift();
    if (onAccepted === undefined) throw new Error('no entry waits');
    this.position += 10;
    onAccepted({ position: this.position, isDurable });
  }

  appliedMark(position: number): AppliedMark {
    return { key: 'position', value: String(position) };
  }

  applied(position: number): void {
    this.appliedPosition = position;
  }

  close(): void {
    this.#waiting.length = 0;
  }
}

/** In milliseconds: only the events of a test make sets readable. */
const NEVER_MS = 600_000;

interface Fixture {
  readonly journal: SlowJournal;
  readonly pipeline: CommitPipeline;
  readonly reader: StateReader;
  /** Notifications to shards and subscribers, in order. */
  readonly told: string[];
  /** Adds a set of a shard that writes one farm. */
  readonly add: (isAwaited?: boolean) => number;
  readonly addChanges: (changes: readonly Change[]) => void;
  /** Adds changes of another process, which the journal has at a position. */
  readonly addForeign: (changes: readonly Change[], position: number) => void;
  /** Numbers of the readable farms. */
  readonly readable: () => readonly number[];
  readonly close: () => Promise<void>;
}

async function open(directory: string): Promise<Fixture> {
  const writer = await openStateWriter(writerOptions(directory));
  const reader = await openStateReader(directory);
  const journal = new SlowJournal();
  const told: string[] = [];
  let sequence = 0;
  const pipeline = new CommitPipeline({
    readAfterMs: NEVER_MS,
    writer,
    journal,
    publishers: [
      {
        markDurable: () => told.push('publish durable'),
        beforeApply: (sets) => told.push(`before ${sets.length}`),
        afterApply: () => told.push('after'),
        notifyReadable: () => told.push('notify'),
      },
    ],
    acks: {
      durable: (shard, upTo) => told.push(`durable ${shard}:${upTo}`),
      readable: (shard, upTo) => told.push(`readable ${shard}:${upTo}`),
    },
  });
  const setOf = (changes: readonly Change[]): EncodedChangeSet =>
    readChangeSet(encodeChangeSet({ version: 1, shard: 3, sequence: ++sequence, changes }));
  return {
    journal,
    pipeline,
    reader,
    told,
    add(isAwaited = false) {
      pipeline.add(setOf([put('farm', String(sequence + 1).padStart(4, '0'), farmNamed('x'))]), isAwaited);
      return sequence;
    },
    addChanges: (changes) => pipeline.add(setOf(changes), false),
    addForeign: (changes, position) =>
      pipeline.addForeign(changes.length === 0 ? [] : [setOf(changes)], position),
    readable() {
      reader.refresh();
      return [...reader.scan('farm')].map(({ key }) => Number(key));
    },
    async close() {
      const stopped = pipeline.stop();
      while (journal.pending > 0) journal.accept();
      await stopped;
      await reader.close();
      await writer.close();
    },
  };
}

/** Returns and removes the notifications, without those that nothing is left to be read: they may be repeated. */
const taken = (told: string[]): string[] => told.splice(0).filter((text) => text !== 'notify');

async function fixture(t: Test): Promise<Fixture> {
  const opened = await open(t.testdir());
  t.teardown(() => opened.close());
  return opened;
}

test('a set is acknowledged and readable only after the journal has accepted its entry', async (t) => {
  const { journal, told, add, readable, pipeline } = await fixture(t);
  add();
  await nextTurn();
  add();
  await nextTurn();
  t.equal(journal.pending, 2, 'the second entry does not wait for the first');
  pipeline.requestRead();
  await nextTurn();
  t.strictSame(told.splice(0), ['notify'], 'a reader does not wait for entries without an outcome');
  t.strictSame(readable(), []);
  journal.accept();
  await nextTurn();
  t.strictSame(told.splice(0), ['publish durable', 'durable 3:1']);
  t.strictSame(readable(), [], 'a durable set waits for the next transaction');
  pipeline.requestRead();
  await nextTurn();
  t.strictSame(told.splice(0), ['before 1', 'after', 'readable 3:1', 'notify']);
  t.strictSame(readable(), [1]);
  t.equal(journal.appliedPosition, 10);
});

test('changes of another process are applied together, with the last position, and acknowledged to no shard', async (t) => {
  const { journal, told, addForeign, readable, pipeline } = await fixture(t);
  addForeign([put('farm', '0007', farmNamed('x'))], 30);
  addForeign([remove('farm', '0007'), put('farm', '0008', farmNamed('y'))], 40);
  addForeign([], 50);
  t.strictSame(readable(), [], 'not before the end of the turn');
  await nextTurn();
  t.strictSame(told.splice(0), ['before 2', 'after', 'notify']);
  t.strictSame(readable(), [8]);
  t.equal(journal.appliedPosition, 50);
  addForeign([put('farm', '0009', farmNamed('z'))], 60);
  pipeline.applyForeign();
  t.strictSame(readable(), [8, 9], 'or at once, for a node that takes the journal over');
  await nextTurn();
  t.strictSame(told.splice(0), ['before 1', 'after', 'notify']);
});

test('a set that a client waits for is applied when it is accepted, with all before it', async (t) => {
  const { journal, told, add, readable } = await fixture(t);
  add();
  await nextTurn();
  add(true);
  await nextTurn();
  add();
  await nextTurn();
  t.strictSame(
    journal.entries.map(({ isAwaited }) => isAwaited),
    [false, true, false],
  );
  journal.accept();
  journal.accept();
  await nextTurn();
  t.strictSame(taken(told), ['before 2', 'after', 'readable 3:2']);
  t.strictSame(readable(), [1, 2]);
  journal.accept();
  await nextTurn();
  t.strictSame(taken(told), ['publish durable', 'durable 3:3'], 'later sets are not urgent');
});

test('an entry that the journal does not make durable is applied before it is acknowledged', async (t) => {
  const { journal, told, add, readable } = await fixture(t);
  add();
  await nextTurn();
  add();
  await nextTurn();
  journal.accept();
  await nextTurn();
  t.strictSame(taken(told), ['publish durable', 'durable 3:1']);
  journal.accept(false);
  await nextTurn();
  t.strictSame(taken(told), ['before 2', 'after', 'readable 3:2']);
  t.strictSame(readable(), [1, 2]);
});

test('a stop waits for the outcome of every entry', async (t) => {
  const { journal, pipeline, add, readable } = await fixture(t);
  add();
  await nextTurn();
  add();
  let isStopped = false;
  const stopped = pipeline.stop().then(() => (isStopped = true));
  journal.accept();
  await nextTurn();
  t.equal(isStopped, false);
  t.strictSame(readable(), [1]);
  journal.accept();
  await stopped;
  t.strictSame(readable(), [1, 2]);
});

const JOB = jobId(jobNumber(1));
const pieces = (): ReturnType<typeof piecesOf> =>
  piecesOf(JOB, {
    template: new Uint8Array(encodeValue('template', { version: 1, format: 'json', text: '{}' })),
    plan: new Uint8Array(encodeValue('plan', jobPlan([]))),
  });

test('rows of large jobs pass through the journal, one piece after the other', async (t) => {
  const { journal, pipeline, reader, told, add } = await fixture(t);
  for (const [at, changes] of pieces().entries()) pipeline.addPiece(changes, () => told.push(`piece ${at}`));
  await nextTurn();
  t.equal(journal.pending, 1);
  add();
  await nextTurn();
  journal.accept();
  await nextTurn();
  t.strictSame(taken(told), ['before 1', 'after', 'piece 0'], 'no shard gets an acknowledgment');
  t.equal(reader.get('plan', keys.plan(JOB)), undefined);
  await nextTurn();
  t.equal(journal.pending, 2, 'the set and the second piece');
  journal.accept();
  journal.accept();
  await nextTurn();
  t.strictSame(taken(told), ['before 2', 'after', 'readable 3:1', 'piece 1']);
  reader.refresh();
  t.ok(reader.get('plan', keys.plan(JOB)));
  const stored = journal.entries.map(({ sets }) =>
    sets.flatMap(({ encoded }) => readChangeSet(encoded).changes.map(({ table }) => table)),
  );
  t.strictSame(stored, [['comingJob', 'template'], ['farm'], ['plan']]);
});

test('the removal of a provisional job waits for the entry that may create the job', async (t) => {
  const { journal, pipeline, reader, addChanges } = await fixture(t);
  pipeline.addPiece(pieces().flat(), () => undefined);
  await nextTurn();
  journal.accept();
  await nextTurn();
  addChanges([remove('comingJob', keys.comingJob(JOB)), put('job', keys.job(JOB), jobRecord({ id: JOB }))]);
  pipeline.discardProvisionalJob(JOB);
  t.equal(journal.pending, 1);
  journal.accept();
  await nextTurn();
  t.equal(journal.pending, 0, 'the job exists: nothing is removed');
  reader.refresh();
  t.ok(reader.get('template', keys.template(JOB)));
});

test('the rows of a provisional job are removed by an entry of the journal', async (t) => {
  const { journal, pipeline, reader } = await fixture(t);
  pipeline.addPiece(pieces().flat(), () => undefined);
  await nextTurn();
  journal.accept();
  await nextTurn();
  pipeline.discardProvisionalJob(JOB);
  t.equal(journal.pending, 1);
  reader.refresh();
  t.ok(reader.get('comingJob', keys.comingJob(JOB)), 'they are kept until the entry is accepted');
  journal.accept();
  await nextTurn();
  reader.refresh();
  t.equal(reader.get('comingJob', keys.comingJob(JOB)), undefined);
  t.equal(reader.get('template', keys.template(JOB)), undefined);
  t.equal(reader.get('plan', keys.plan(JOB)), undefined);
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('add' as const) },
  { weight: 1, arbitrary: fc.constant('add-awaited' as const) },
  { weight: 4, arbitrary: fc.constant('accept' as const) },
  { weight: 1, arbitrary: fc.constant('accept-without-durability' as const) },
  { weight: 1, arbitrary: fc.constant('request-read' as const) },
  { weight: 1, arbitrary: fc.constant('request-apply' as const) },
  { weight: 4, arbitrary: fc.constant('turn' as const) },
);

test('in any order of events, no set is acknowledged or readable before its entry is accepted', async (t) => {
  const root = t.testdir();
  let run = 0;
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
      const { journal, pipeline, told, add, readable, close } = await open(`${root}/${++run}`);
      const accepted = (): number =>
        journal.entries
          .slice(0, journal.entries.length - journal.pending)
          .reduce((sum, { sets }) => sum + sets.length, 0);
      let added = 0;
      const acknowledged = { durable: 0, readable: 0 };
      const check = (): void => {
        for (const text of taken(told)) {
          const [, stage, upTo] = /^(durable|readable) 3:(\d+)$/.exec(text) ?? [];
          if (stage !== 'durable' && stage !== 'readable') continue;
          if (Number(upTo) <= acknowledged[stage]) throw new Error(`${text} after ${acknowledged[stage]}`);
          acknowledged[stage] = Number(upTo);
        }
        const found = readable();
        if (found.some((number, at) => number !== at + 1)) throw new Error(`a hole: ${found.join()}`);
        if (found.length > accepted()) throw new Error(`${found.length} of ${accepted()} are readable`);
        if (acknowledged.readable > found.length) throw new Error('acknowledged as readable too early');
        if (acknowledged.durable > accepted()) throw new Error('acknowledged as durable too early');
      };
      for (const what of steps) {
        if (what === 'add' || what === 'add-awaited') added = add(what === 'add-awaited');
        if (what === 'accept' && journal.pending > 0) journal.accept();
        if (what === 'accept-without-durability' && journal.pending > 0) journal.accept(false);
        if (what === 'request-read') pipeline.requestRead();
        if (what === 'request-apply') pipeline.requestApply();
        if (what === 'turn') await nextTurn();
        check();
      }
      let isStopped = false;
      const stopped = pipeline.stop().then(() => (isStopped = true));
      while (journal.pending > 0) journal.accept();
      await nextTurn();
      check();
      if (!isStopped) throw new Error('the stop waits for nothing');
      await stopped;
      if (readable().length !== added || acknowledged.readable !== added)
        throw new Error(`${added} sets were added, ${acknowledged.readable} acknowledged`);
      if (journal.appliedPosition !== journal.position) throw new Error('the journal was not notified');
      applied += added;
      await close();
    }),
    { numRuns: 30 },
  );
  t.ok(applied > 200, `${applied} sets`);
});

import tap, { test, type Test } from 'tap';
import type { DiskCount, RunningCount } from '../../../src/adapters/process/disk-count.ts';
import { SessionQuota } from '../../../src/adapters/process/session-quota.ts';

tap.setTimeout(120_000);

const MIB = 1024 * 1024;

interface OpenCount {
  answer(count: DiskCount): void;
  readonly isStopped: () => boolean;
}

/** A session with a quota of 4 MiB whose counts the test answers. */
class CountedSession {
  readonly quota: SessionQuota;
  readonly failures: string[] = [];
  ended = 0;
  private readonly open: OpenCount[] = [];
  private waiting: ((count: OpenCount) => void) | null = null;

  constructor(t: Test) {
    this.quota = new SessionQuota({
      directory: '/session',
      quotaBytes: 4 * MIB,
      end: () => (this.ended += 1),
      failed: (reason) => this.failures.push(reason),
      count: () => this.start(),
    });
    // The timer of the quota does not keep a process running.
    const running = setInterval(() => undefined, 60_000);
    t.teardown(() => {
      this.quota.stop();
      clearInterval(running);
    });
  }

  /** Resolves when the next count starts. */
  next(): Promise<OpenCount> {
    const first = this.open.shift();
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => (this.waiting = resolve));
  }

  /** Answers the next count with a size, and waits until the quota has it. */
  async counts(mib: number): Promise<void> {
    (await this.next()).answer({ kind: 'counted', bytes: mib * MIB });
    await new Promise(setImmediate);
  }

  private start(): RunningCount {
    let resolve!: (count: DiskCount) => void;
    const result = new Promise<DiskCount>((answer) => (resolve = answer));
    let isStopped = false;
    const count = { answer: resolve, isStopped: () => isStopped };
    if (this.waiting === null) this.open.push(count);
    else this.waiting(count);
    this.waiting = null;
    const stop = (): void => {
      isStopped = true;
      resolve({ kind: 'failed', reason: 'stopped' });
    };
    return { result, stop };
  }
}

async function exceeded(t: Test, mib: number): Promise<CountedSession> {
  const session = new CountedSession(t);
  session.quota.begin();
  await session.counts(mib);
  t.equal(session.ended, 1, 'the action that exceeds the quota is ended');
  t.match(session.quota.end({}), { overQuota: { quotaMib: 4, usedMib: mib, reason: '' } });
  return session;
}

test('an excess ends one action, and the next one only if it grows', async (t) => {
  const session = await exceeded(t, 6);
  session.quota.begin();
  await session.counts(6);
  await session.counts(6);
  t.equal(session.ended, 1, 'the next action did not cause it');
  await session.counts(7);
  t.equal(session.ended, 2, 'its own excess ends the next action');
  t.match(session.quota.end({}), { overQuota: { usedMib: 7 } });
});

test('a count that started before the end of an action says nothing about the next one', async (t) => {
  const session = new CountedSession(t);
  session.quota.begin();
  await session.counts(6);
  const late = await session.next();
  session.quota.end({});
  t.ok(late.isStopped(), 'it is ended');
  session.quota.begin();
  await session.counts(3);
  t.equal(session.ended, 1);
  t.equal(session.quota.end(undefined), undefined);
});

test('space that an action has freed belongs to the quota again', async (t) => {
  const session = await exceeded(t, 8);
  session.quota.begin();
  await session.counts(8);
  await session.counts(5);
  t.equal(session.ended, 1);
  await session.counts(6);
  t.equal(session.ended, 2, 'an excess that shrinks and grows again');
});

test('the excess of tasks that ended before it was counted ends the task that runs', async (t) => {
  const session = new CountedSession(t);
  session.quota.begin();
  t.equal(session.quota.end(undefined), undefined);
  session.quota.begin();
  await session.counts(6);
  t.equal(session.ended, 1);
});

test('a directory that cannot be counted ends an action, and a failed count none', async (t) => {
  const session = new CountedSession(t);
  session.quota.begin();
  (await session.next()).answer({ kind: 'failed', reason: 'no du' });
  (await session.next()).answer({ kind: 'uncountable', reason: 'closed' });
  const settling = session.next();
  t.same(session.failures, ['no du']);
  await new Promise(setImmediate);
  t.equal(session.ended, 1);
  t.match(session.quota.end({}), { overQuota: { usedMib: null, reason: 'closed' } });
  session.quota.begin();
  (await settling).answer({ kind: 'uncountable', reason: 'closed' });
  await new Promise(setImmediate);
  t.equal(session.ended, 1, 'the first count after an excess belongs to the action before');
  (await session.next()).answer({ kind: 'uncountable', reason: 'closed' });
  await new Promise(setImmediate);
  t.equal(session.ended, 2);
});

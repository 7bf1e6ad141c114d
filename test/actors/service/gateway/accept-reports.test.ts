import fc from 'fast-check';
import { test } from 'tap';
import {
  leaseReply,
  presenceReply,
  reportsReply,
  replyTargetOf,
} from '../../../../actors/service/gateway/reply-address.ts';
import { PoisonedReports, acceptReports } from '../../../../actors/service/gateway/accept-reports.ts';
import { replyTo } from '../../../../actors/kernel/address.ts';
import { jobId, workerId, type AttemptId } from '../../../../src/core/ids.ts';
import type { LeaseReply, TerminalReport } from '../../../../src/core/wire/bus-messages.ts';
import { KernelHarness } from '../../../kit/kernel-harness.ts';

const OWN = jobId('0190b2d8-3c4f-7000-8000-000000000001');
const OTHER = jobId('0190b2d8-3c4f-7000-8000-000000000002');
const FOREIGN = jobId('0190b2d8-3c4f-7000-8000-000000000005');
const WORKER = workerId('0190b2d8-3c4f-7000-8000-000000000003');
const INBOX = '_INBOX.abc.lease1';

const attemptOf = (job: string, index: number): AttemptId => `${job}-0-${index}-1` as AttemptId;
const end = (attempt: AttemptId): TerminalReport => ({
  attempt_id: attempt,
  status: 'succeeded',
  timestamp: '2026-11-21T12:00:00.000Z',
  session_id: 's1',
});
type ReportsEnvelope = Parameters<Parameters<typeof acceptReports>[1]['post']>[0];

/** Accepts reports on a shard that owns all jobs but FOREIGN. `posted` has the messages with their callbacks. */
function accept(
  reports: readonly TerminalReport[],
  confirmation: Parameters<typeof acceptReports>[0]['confirmation'],
) {
  const posted: { readonly envelope: ReportsEnvelope; readonly onProcessed: (() => void) | null }[] = [];
  const attempts = acceptReports(
    { workerId: WORKER, reports, confirmation },
    {
      ownsJob: (job) => job !== FOREIGN,
      post: (envelope, onProcessed) => posted.push({ envelope, onProcessed }),
    },
  );
  return { attempts, posted };
}
const NO_TASKS: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };

test('piggybacked reports become one message per job, without those of other shards', (t) => {
  const confirmation = { kind: 'lease-reply', inbox: INBOX } as const;
  const ends = [attemptOf(OWN, 7), attemptOf(OTHER, 0), attemptOf(OWN, 8), attemptOf(FOREIGN, 1)].map(end);
  const to = (id: string, ...reports: TerminalReport[]): unknown => ({
    envelope: {
      actor: 'job',
      id,
      message: { type: 'tasks.reported', workerId: WORKER, reports, replyTo: reportsReply(INBOX) },
    },
    onProcessed: null,
  });
  t.strictSame(accept(ends, confirmation), {
    posted: [to(OWN, end(attemptOf(OWN, 7)), end(attemptOf(OWN, 8))), to(OTHER, end(attemptOf(OTHER, 0)))],
    attempts: [attemptOf(OWN, 7), attemptOf(OTHER, 0), attemptOf(OWN, 8)],
  });
  t.strictSame(accept([], confirmation), { posted: [], attempts: [] });
  t.end();
});

test('a report of the stream is acknowledged after it is processed', (t) => {
  let acknowledged = 0;
  const confirmation = { kind: 'acknowledge', acknowledge: () => acknowledged++ } as const;
  const { attempts, posted } = accept([end(attemptOf(OWN, 7))], confirmation);
  t.strictSame(attempts, [attemptOf(OWN, 7)]);
  t.strictSame(
    posted.map(({ envelope }) => envelope),
    [
      {
        actor: 'job',
        id: OWN,
        message: { type: 'tasks.reported', workerId: WORKER, reports: [end(attemptOf(OWN, 7))] },
      },
    ],
    'without an address: a poisoned report is acknowledged and logged',
  );
  t.equal(acknowledged, 0);
  posted[0]?.onProcessed?.();
  t.equal(acknowledged, 1);
  t.end();
});

test('reports of several jobs are acknowledged once, after the last is processed', (t) => {
  let acknowledged = 0;
  const confirmation = { kind: 'acknowledge', acknowledge: () => acknowledged++ } as const;
  const { posted } = accept([end(attemptOf(OWN, 7)), end(attemptOf(OTHER, 0))], confirmation);
  for (const [index, { onProcessed }] of posted.entries()) {
    t.equal(acknowledged, 0, `before message ${index}`);
    onProcessed?.();
  }
  t.equal(acknowledged, 1);
  t.end();
});

test('a report of a job of another shard is acknowledged at once', (t) => {
  let acknowledged = 0;
  const confirmation = { kind: 'acknowledge', acknowledge: () => acknowledged++ } as const;
  t.strictSame(accept([end(attemptOf(FOREIGN, 1))], confirmation), { posted: [], attempts: [] });
  t.equal(acknowledged, 1);
  t.end();
});

test('a reply address round-trips', (t) => {
  const inbox = fc.stringMatching(/^_INBOX(\.[A-Za-z0-9_-]{1,20}){1,4}$/);
  const attempts = fc.array(fc.nat(1000).map((index) => attemptOf(OWN, index)));
  fc.assert(
    fc.property(inbox, attempts, (address, reports) => {
      const wait = { askedAt: 1, state: 'asked' } as const;
      t.strictSame(replyTargetOf(leaseReply(address, reports, wait)), {
        kind: 'lease',
        inbox: address,
        reports,
        wait,
      });
      t.strictSame(replyTargetOf(presenceReply(address)), { kind: 'presence', inbox: address });
      t.strictSame(replyTargetOf(reportsReply(address)), { kind: 'reports', inbox: address });
    }),
    { numRuns: 50 },
  );
  t.throws(() => replyTargetOf(replyTo('unknown:x')), /unknown reply address unknown:x/);
  t.end();
});

test('a reply confirms the reports of its request unless one is poisoned', (t) => {
  const poisoned = new PoisonedReports();
  const reports = [attemptOf(OWN, 1), attemptOf(OWN, 2)];
  const target = { kind: 'lease', inbox: INBOX, reports } as const;
  t.strictSame(poisoned.confirmedBy(NO_TASKS, target), { ...NO_TASKS, confirmed: reports });
  t.equal(poisoned.confirmedBy(NO_TASKS, { ...target, reports: [] }), NO_TASKS);
  t.strictSame(poisoned.confirmedBy({ v: 1, type: 'unknown' }, target), { v: 1, type: 'unknown' });
  poisoned.add(INBOX);
  t.equal(poisoned.confirmedBy(NO_TASKS, target), NO_TASKS, 'the worker repeats all of them');
  t.strictSame(poisoned.confirmedBy(NO_TASKS, target), { ...NO_TASKS, confirmed: reports }, 'once');
  t.end();
});

/** A lease request with reports, as the kernel receives it. */
interface Request {
  readonly reports: number;
  /** How often the handler of the last report throws. */
  readonly throws: number;
}

type Step = { readonly post: Request } | { readonly pump: true } | { readonly flush: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ post: fc.record({ reports: fc.nat(3), throws: fc.constantFrom(0, 0, 1, 2) }) }),
  fc.constant<Step>({ pump: true }),
  fc.record({ flush: fc.nat(5) }),
);

test('a reply is sent after the reports of its request are on disk or poisoned, in any order of commits', (t) => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 60, size: 'max' }), (script) => {
      const bench = new KernelHarness();
      const requests: Request[] = [];
      const sent = new Set<string>();
      const check = (): void => {
        for (const text of bench.takeOutputs()) {
          sent.add(text);
          const request = /^to lease (\d+): done$/.exec(text)?.[1];
          if (request === undefined) continue;
          const { reports, throws } = requests[Number(request)] as Request;
          for (let report = 0; report < reports; report++) {
            const isPoisoned = throws > 1 && report === reports - 1;
            const name = `${request}/${report}`;
            const isRefused = [...sent].some((each) => each.startsWith(`to poisoned ${name}:`));
            if (isPoisoned ? !isRefused : !bench.disk.has(name)) throw new Error(`${name} is confirmed`);
          }
        }
      };
      for (const step of script) {
        if ('post' in step) {
          const number = requests.push(step.post) - 1;
          const { reports, throws } = step.post;
          for (let report = 0; report < reports; report++) {
            const name = `${number}/${report}`;
            const times = report === reports - 1 ? throws : 0;
            const steps = [{ do: 'throw', label: name, times } as const, { do: 'write', value: 1 } as const];
            bench.post(name, steps, `poisoned ${name}`);
          }
          // Every other reply has no own changes.
          const writes = number % 2 === 0 ? [] : [{ do: 'write', value: number } as const];
          bench.post('lease', [...writes, { do: 'reply', answer: 'done' }], `lease ${number}`);
        } else if ('pump' in step) bench.kernel.pump();
        else {
          const waiting = bench.commits.flatMap((commit, number) => (commit.isDurable ? [] : [number]));
          const chosen = waiting[step.flush % Math.max(1, waiting.length)];
          if (chosen !== undefined) bench.flush(chosen);
        }
        check();
      }
      bench.settle();
      check();
      requests.forEach((_, number) => {
        if (!sent.has(`to lease ${number}: done`)) throw new Error(`request ${number} has no reply`);
      });
    }),
    { numRuns: 300 },
  );
  t.end();
});

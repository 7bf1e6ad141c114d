import fc from 'fast-check';
import { test } from 'tap';
import { parseAnyLeaseRequest, parseLeaseRequest } from '../../../src/core/wire/lease-request.ts';
import { messages } from './messages.arbitrary.ts';

const JOB = '01890a5d-ac96-774b-bcce-b302099a8057';
const report = {
  attempt_id: `${JOB}-0-7-1`,
  status: 'succeeded',
  exit_code: 0,
  timestamp: '2026-11-20T10:00:00.123Z',
  session_id: 's-1',
};
const request = { v: 1, worker_id: JOB, farm_id: JOB, incarnation: 'one' };

const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  0,
  1,
  -1,
  1.5,
  2 ** 32,
  true,
  [],
  {},
  'x'.repeat(200),
  'a\u0007b',
  `${JOB}-0-7-0`,
  JOB.toUpperCase(),
  '2026-02-30T10:00:00Z',
  'running',
);
const field = fc.constantFrom(
  'v',
  'worker_id',
  'farm_id',
  'incarnation',
  'reports',
  'attempt_id',
  'status',
  'exit_code',
  'max_rss_mib',
  'cpu_seconds',
  'message',
  'timestamp',
  'session_id',
  'progress',
  'status_message',
  'later',
  '__proto__',
);

test('the fast parser accepts the same requests as the general parser', (t) => {
  fc.assert(
    fc.property(
      messages.leaseRequest,
      fc.boolean(),
      fc.array(fc.tuple(fc.boolean(), field, odd), { maxLength: 2 }),
      (valid, isUsual, changes) => {
        const value = JSON.parse(JSON.stringify(isUsual ? { ...request, reports: [report] } : valid)) as {
          reports?: unknown[];
        };
        for (const [isInside, name, change] of changes) {
          const target = isInside ? value.reports?.[0] : value;
          if (typeof target !== 'object' || target === null) continue;
          Object.defineProperty(target, name, {
            value: change,
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }
        const text = JSON.stringify(value);
        t.strictSame(parseLeaseRequest(text), parseAnyLeaseRequest(text));
      },
    ),
    { numRuns: 300 },
  );
  t.end();
});

test('ordinary requests are parsed, and others are rejected with the position', (t) => {
  t.strictSame(parseLeaseRequest(JSON.stringify({ ...request, reports: [report, report] })), {
    ok: true,
    value: { ...request, reports: [report, report] },
  });
  t.strictSame(
    parseLeaseRequest(JSON.stringify({ ...request, reports: [report, { ...report, exit_code: 'x' }] })),
    {
      ok: false,
      reason: 'reports[1].exit_code: must be an integer from -2147483648 to 4294967295',
    },
  );
  t.strictSame(parseLeaseRequest(JSON.stringify({ ...request, reports: Array(257).fill(report) })), {
    ok: false,
    reason: 'reports: must not have more than 256 entries',
  });
  t.strictSame(parseLeaseRequest(`${'['.repeat(33)}${']'.repeat(33)}`), {
    ok: false,
    reason: 'message: nested deeper than 32 levels',
  });
  t.strictSame(parseLeaseRequest('[1'), { ok: false, reason: 'message: not valid JSON' });
  t.end();
});

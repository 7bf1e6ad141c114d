import fc from 'fast-check';
import { test } from 'tap';
import type { Parsed } from '../../../src/core/wire/json-text.ts';
import { parseLeaseRequest } from '../../../src/core/wire/lease-request.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { parseCancel, parseLeaseReply, parsePresenceReply } from '../../../src/core/wire/service-messages.ts';
import { parseLog, parsePresence, parseStatus } from '../../../src/core/wire/worker-messages.ts';
import { messages } from './messages.arbitrary.ts';
import { rounds } from '../../kit/rounds.ts';

type Kind = keyof typeof messages;
const doors: Record<Kind, (text: string) => Parsed<unknown>> = {
  presence: parsePresence,
  leaseRequest: parseLeaseRequest,
  status: parseStatus,
  log: parseLog,
  cancel: parseCancel,
  presenceReply: parsePresenceReply,
  leaseReply: parseLeaseReply,
};
const kinds = Object.keys(doors) as Kind[];

const JOB = '01890a5d-ac96-774b-bcce-b302099a8057';
const TASK = `${JOB}-0-7`;
const WORKER = '01890a5d-ac96-774b-bcce-b302099a8058';
const FARM = '01890a5d-ac96-774b-bcce-b302099a8059';
const INBOX = '_INBOX.abc.1';

const status = {
  v: 1,
  task_id: TASK,
  attempt_id: `${TASK}-1`,
  worker_id: WORKER,
  status: 'failed',
  exit_code: 3,
  message: 'out of memory',
  timestamp: '2026-11-20T10:00:00.123Z',
  session_id: 's-1',
};
const log = {
  v: 1,
  task_id: TASK,
  attempt_id: `${TASK}-1`,
  seq_num: 1,
  stream: 'stdout',
  data: 'x',
  at: status.timestamp,
};
const register = {
  v: 1,
  type: 'register',
  worker_id: WORKER,
  incarnation: '01936ad0-0000-7000-8000-000000000001',
  name: 'render-01',
  hostname: 'render-01.farm',
  farm: '',
  queues: ['nuke'],
  cpu_count: 16,
  memory_mib: 64_000,
  os: 'linux',
  arch: 'x64',
  software_version: '0.1.0',
  compute_location: '',
  tags: { gpu: 'yes' },
  open_attempts: [],
  reply_to: INBOX,
};
const lease = { v: 1, worker_id: WORKER, farm_id: FARM, incarnation: 'one' };

const reasonOf = (parsed: Parsed<unknown>): string => (parsed.ok ? 'accepted' : parsed.reason);
const statusWith = (change: object): string =>
  reasonOf(parseStatus(JSON.stringify({ ...status, ...change })));
const registerWith = (change: object): string =>
  reasonOf(parsePresence(JSON.stringify({ ...register, ...change })));

test('a registration contains the hardware, or none from an older worker', (t) => {
  const hardware = {
    gpu_count: 1,
    gpu_memory_mib: 24_564,
    gpu_models: ['NVIDIA RTX A5000'],
    scratch_mib: 900_000,
    os_version: 'debian-12',
  };
  const parsed = parsePresence(JSON.stringify({ ...register, ...hardware }));
  t.same(parsed, { ok: true, value: { ...register, ...hardware } });
  t.same(parsePresence(JSON.stringify(register)), { ok: true, value: register });
  t.equal(registerWith({ gpu_count: -1 }), 'gpu_count: must be an integer from 0 to 1024');
  t.equal(
    registerWith({ gpu_memory_mib: 1.5 }),
    'gpu_memory_mib: must be an integer from 0 to 1099511627776',
  );
  t.equal(registerWith({ gpu_models: 'A5000' }), 'gpu_models: must be a list');
  t.equal(registerWith({ scratch_mib: null }), 'scratch_mib: must be an integer from 0 to 1099511627776');
  t.equal(registerWith({ os_version: 12 }), 'os_version: must be a string');
  t.end();
});

test('a registration contains the expression limits, or none from an older worker', (t) => {
  const parsed = parsePresence(JSON.stringify({ ...register, expr_memory_limit: 500_000 }));
  t.same(parsed, { ok: true, value: { ...register, expr_memory_limit: 500_000 } });
  for (const wrong of [0, -1, 1.5, 1_000_000_001, '1', null]) {
    t.equal(
      registerWith({ expr_memory_limit: wrong }),
      'expr_memory_limit: must be an integer from 1 to 1000000000',
      String(wrong),
    );
  }
  t.end();
});

for (const kind of kinds) {
  test(`${kind}: a formatted message round-trips`, (t) => {
    fc.assert(
      fc.property(messages[kind] as fc.Arbitrary<unknown>, (message) => {
        const parsed = doors[kind](JSON.stringify(message));
        t.equal(reasonOf(parsed), 'accepted');
        if (parsed.ok) t.equal(JSON.stringify(parsed.value), JSON.stringify(message));
      }),
      { numRuns: 200 },
    );
    t.end();
  });
}

test('unknown fields are ignored', (t) => {
  const parsed = parseLeaseRequest(JSON.stringify({ ...lease, later: { than: 'us' }, __proto__x: 1 }));
  t.same(parsed, { ok: true, value: lease });
  t.end();
});

test('an invalid field is reported with the expected value', (t) => {
  t.equal(statusWith({ v: 2 }), 'v: must be 1');
  t.equal(statusWith({ v: '1' }), 'v: must be 1');
  t.equal(statusWith({ v: undefined }), 'v: is missing');
  t.equal(statusWith({ task_id: 'no-task' }), 'task_id: must be a task id');
  t.equal(statusWith({ task_id: `${TASK} ` }), 'task_id: must be a task id');
  t.equal(statusWith({ attempt_id: `${TASK}-0` }), 'attempt_id: must be an attempt id');
  t.equal(statusWith({ attempt_id: `${TASK}--1` }), 'attempt_id: must be an attempt id');
  t.equal(statusWith({ attempt_id: `${JOB}-0-8-1` }), 'message: attempt_id must be an attempt of task_id');
  t.equal(statusWith({ worker_id: WORKER.toUpperCase() }), 'worker_id: must be a worker id');
  t.equal(statusWith({ worker_id: 7 }), 'worker_id: must be a worker id');
  t.equal(statusWith({ status: 'ready' }), 'status: must be one of running, succeeded, failed, canceled');
  t.equal(statusWith({ status: 'toString' }), 'status: must be one of running, succeeded, failed, canceled');
  t.equal(statusWith({ exit_code: 1.5 }), 'exit_code: must be an integer from -2147483648 to 4294967295');
  t.equal(statusWith({ max_rss_mib: -1 }), 'max_rss_mib: must be an integer from 0 to 1099511627776');
  t.equal(statusWith({ max_rss_mib: '1' }), 'max_rss_mib: must be an integer from 0 to 1099511627776');
  t.equal(statusWith({ cpu_seconds: -0.5 }), 'cpu_seconds: must be from 0 to 10000000000');
  t.equal(statusWith({ exit_code: null }), 'exit_code: must be an integer from -2147483648 to 4294967295');
  t.equal(statusWith({ message: [] }), 'message: must be a string');
  t.equal(
    statusWith({ message: 'x'.repeat(WIRE_LIMITS.message + 1) }),
    `message: must not be longer than ${WIRE_LIMITS.message} characters`,
  );
  t.equal(statusWith({ timestamp: '2026-02-29T00:00:00Z' }), 'timestamp: must be an RFC 3339 time');
  t.equal(statusWith({ timestamp: '2028-02-29T23:59:59+01:00' }), 'accepted');
  t.equal(statusWith({ timestamp: '2026-11-20 10:00:00Z' }), 'timestamp: must be an RFC 3339 time');
  t.equal(statusWith({ timestamp: '2026-11-20T24:00:00Z' }), 'timestamp: must be an RFC 3339 time');
  t.equal(statusWith({ session_id: 'a\nb' }), 'session_id: must not hold control characters');
  t.equal(registerWith({ type: 'hello' }), 'type: must be one of register, heartbeat, deregister');
  t.equal(registerWith({ type: 'constructor' }), 'type: must be one of register, heartbeat, deregister');
  t.equal(registerWith({ type: undefined }), 'type: is missing');
  t.equal(registerWith({ cpu_count: 0 }), `cpu_count: must be an integer from 1 to ${WIRE_LIMITS.cpuCount}`);
  t.equal(registerWith({ cpu_count: -4 }), `cpu_count: must be an integer from 1 to ${WIRE_LIMITS.cpuCount}`);
  t.equal(registerWith({ name: '' }), 'name: must not be empty');
  t.equal(registerWith({ queues: 'nuke' }), 'queues: must be a list');
  t.equal(registerWith({ queues: ['a', 3] }), 'queues[1]: must be a string');
  t.equal(registerWith({ tags: ['a'] }), 'tags: must be an object');
  t.equal(registerWith({ tags: { gpu: {} } }), 'tags["gpu"]: must be a string');
  t.equal(registerWith({ tags: { '': 'x' } }), 'tags[""]: the name must not be empty');
  t.equal(registerWith({ open_attempts: [TASK] }), 'open_attempts[0]: must be an attempt id');
  t.equal(
    registerWith({ open_attempts: Array(WIRE_LIMITS.openAttempts + 1).fill(`${TASK}-1`) }),
    `open_attempts: must not have more than ${WIRE_LIMITS.openAttempts} entries`,
  );
  t.equal(
    reasonOf(parseLog(JSON.stringify({ ...log, seq_num: 0 }))),
    `seq_num: must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`,
  );
  t.equal(
    reasonOf(parseLog(JSON.stringify(log).replace('"seq_num":1', '"seq_num":1e999'))).slice(0, 8),
    'seq_num:',
  );
  t.equal(
    reasonOf(parseLog(JSON.stringify(log).replace('"seq_num":1', '"seq_num":NaN'))),
    'message: not valid JSON',
  );
  t.end();
});

test('a reply address must be an inbox', (t) => {
  for (const subject of [
    'task.status.x',
    '$JS.API.STREAM.DELETE.X',
    '_INBOX',
    '_INBOX.',
    '_INBOX.*',
    '_INBOX.>',
    '_INBOX.a b',
    '_INBOX.a\r\nPUB x',
  ]) {
    t.equal(registerWith({ reply_to: subject }), 'reply_to: must be an inbox', subject);
  }
  t.end();
});

test('no text makes a parser throw', (t) => {
  const long = `{"v":1,"x":"${'y'.repeat(WIRE_LIMITS.statusText)}"}`;
  const deep = '['.repeat(30_000);
  const hidden = JSON.stringify({ ...lease, incarnation: 'a', note: '\\"[[[[{{{{'.repeat(100) });
  t.equal(reasonOf(parseStatus(long)), `message: longer than ${WIRE_LIMITS.statusText} characters`);
  t.equal(reasonOf(parseStatus(deep)), `message: nested deeper than ${WIRE_LIMITS.nesting} levels`);
  t.equal(
    reasonOf(parseStatus('{"a":'.repeat(3000))),
    `message: nested deeper than ${WIRE_LIMITS.nesting} levels`,
  );
  t.equal(reasonOf(parseLeaseRequest(hidden)), 'accepted', 'brackets inside strings are text');
  t.equal(
    reasonOf(parseLeaseRequest(`"${'\\'.repeat(2)}"${deep}`.slice(0, 4000))),
    `message: nested deeper than ${WIRE_LIMITS.nesting} levels`,
  );
  for (const text of [
    '',
    ' ',
    '"',
    '"\\',
    '{',
    'null',
    '0',
    '[]',
    '"x"',
    'true',
    '\u0000',
    '{"__proto__":{"v":1}}',
  ]) {
    for (const kind of kinds) t.match(reasonOf(doors[kind](text)), /^(message|v|type): /, `${kind} ${text}`);
  }
  t.end();
});

test('keys with names of JavaScript properties are ordinary keys', (t) => {
  const parsed = parsePresence(JSON.stringify(register).replace('"gpu"', '"__proto__"'));
  t.ok(parsed.ok && parsed.value.type === 'register');
  if (parsed.ok && parsed.value.type === 'register') {
    t.same(Object.entries(parsed.value.tags), [['__proto__', 'yes']]);
    t.equal(Object.getPrototypeOf(parsed.value.tags), Object.prototype);
  }
  t.end();
});

test('an assignment whose step is missing in the reply is rejected', (t) => {
  const step_id = `${JOB}-0`;
  const assignment = {
    task_id: TASK,
    job_id: JOB,
    step_id,
    attempt_id: `${TASK}-1`,
    name: 'n',
    cores: 1,
    parameters: {},
  };
  const reply = (change: object): string =>
    reasonOf(
      parseLeaseReply(
        JSON.stringify({ v: 1, type: 'leases', assignments: [{ ...assignment, ...change }], steps: {} }),
      ),
    );
  t.equal(reply({}), 'message: steps must hold the step of every assignment');
  t.equal(reply({ step_id: `${JOB}-1` }), 'assignments[0]: task_id must be a task of step_id');
  t.equal(reply({ job_id: FARM }), 'assignments[0]: step_id must be a step of job_id');
  t.equal(reply({ cores: -1 }), 'assignments[0].cores: must not be negative');
  t.equal(
    reply({ parameters: { F: { type: 'BOOL', value: '' } } }),
    'assignments[0].parameters["F"].type: must be one of INT, FLOAT, STRING, PATH, CHUNK[INT]',
  );
  t.end();
});

/** Returns a text with one random damage: a cut, a swap, a foreign piece, or a repeated part. */
const injury = fc.tuple(
  fc.nat(),
  fc.oneof(fc.nat(2), fc.nat(60)),
  fc.constantFrom(
    '',
    'a',
    '7',
    '0',
    '-',
    '"',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    'null',
    '-1',
    '1e999',
    '0.5',
    '"\\ud800"',
    '[[[[',
    '\u0000',
    '💥',
    '{"__proto__":1}',
    'true',
    ' ',
    '*',
    '>',
    '\r\n',
  ),
);

const injure = (text: string, injuries: readonly [number, number, string][]): string =>
  injuries.reduce((result, [at, length, piece]) => {
    const start = result.length === 0 ? 0 : at % result.length;
    return result.slice(0, start) + piece + result.slice(start + length);
  }, text);

const DAMAGED = rounds(4_000, 20_000);

test('each of many damaged messages yields a message or an error', (t) => {
  const cases = kinds.map((kind) =>
    (messages[kind] as fc.Arbitrary<unknown>).map((message) => [kind, JSON.stringify(message)] as const),
  );
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.oneof(...cases),
      fc.array(injury, { minLength: 1, maxLength: 3 }),
      ([kind, text], injuries) => {
        const parsed = doors[kind](injure(text, injuries));
        if (parsed.ok) {
          seen.accepted += 1;
          // A parsed message is one that a sender could have created: parsing it again returns it unchanged.
          const again = doors[kind](JSON.stringify(parsed.value));
          return again.ok && JSON.stringify(again.value) === JSON.stringify(parsed.value);
        }
        seen.refused += 1;
        return /^[^\n]{1,600}: .{1,400}$/.test(parsed.reason);
      },
    ),
    { numRuns: DAMAGED },
  );
  t.ok(
    seen.accepted > DAMAGED / 200 && seen.refused > DAMAGED / 2,
    `${seen.accepted} accepted, ${seen.refused} refused`,
  );
  t.end();
});

test('values of wrong types in every field yield an error or a message', (t) => {
  const wild = fc.oneof(
    fc.constantFrom<unknown>(null, true, -1, 0.5, 2 ** 60, '', 'x', [], {}, [[]], '\u0000', '*', 'a.b', '>'),
    fc.jsonValue({ maxDepth: 4 }),
    fc.constant('z'.repeat(70_000)),
  );
  const cases = kinds.map((kind) =>
    (messages[kind] as fc.Arbitrary<object>).map((message) => [kind, message] as const),
  );
  fc.assert(
    fc.property(fc.oneof(...cases), fc.nat(), wild, ([kind, message], pick, value) => {
      const names = Object.keys(message);
      const name = names[pick % names.length] ?? 'v';
      const parsed = doors[kind](JSON.stringify({ ...message, [name]: value }));
      return parsed.ok || parsed.reason.length > 0;
    }),
    { numRuns: rounds(1000, 5000) },
  );
  t.end();
});

import fc from 'fast-check';
import { test } from 'tap';
import { AGENT_LIMITS } from '../../../actors/agent/agent-limits.ts';
import type { AgentEffect } from '../../../actors/agent/agent-system.ts';
import { REDACTED } from '../../../actors/agent/session/redaction.ts';
import { LineAssembler } from '../../../src/adapters/process/line-assembler.ts';
import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import type { StatusMessage, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { action, AgentFixture, assignmentOf, environment, leases, stepOf } from './agent-fixture.ts';

const HIDING: Partial<StepAssignment> = { extensions: ['REDACTED_ENV_VARS'] };
const ENTERING = {
  job_environments: [environment('E', { onEnter: action('enter'), onExit: action('exit') })],
};

/** A session whose bus accepts everything, with its log, its reports and its actions. */
class Session extends AgentFixture {
  readonly chunks: string[] = [];
  readonly progress: StatusMessage[] = [];
  readonly variables: Readonly<Record<string, string | null>>[] = [];
  readonly other: AgentEffect[] = [];
  consumed = 0;

  constructor(step: Partial<StepAssignment>) {
    super();
    const [request] = this.register();
    if (request === undefined) throw new Error('no lease request');
    this.lease(request, leases([assignmentOf('a', { cores: 4 })], stepOf({ ready_left: 0, ...step })));
    this.opened('a');
    this.hear();
  }

  /** Takes the effects since the last call. */
  hear(): void {
    for (let effects = this.takeEffects(); effects.length > 0; effects = this.takeEffects()) {
      for (const effect of effects) {
        if (effect.kind === 'ship-logs') {
          for (const { data } of effect.chunks) this.chunks.push(data);
          const stored = effect.chunks.length;
          this.deliver('shipper', effect.attemptId, { type: 'logs.stored', stored, failure: null });
        } else if (effect.kind === 'report-progress') this.progress.push(effect.report);
        else if (effect.kind === 'start-action') this.variables.push(effect.action.variables);
        else if (effect.kind === 'output-consumed') this.consumed += effect.bytes;
        else this.other.push(effect);
      }
    }
  }

  /** The attempt's log so far. */
  get log(): string {
    this.pass(200);
    this.hear();
    return this.chunks.join('');
  }

  write(run: number, lines: readonly string[], stream: OutputStream = 'stdout'): void {
    this.output('a', run, lines, stream);
    this.hear();
  }

  step(run: number, lines: readonly string[] = [], exitCode = 0): void {
    this.started('a', run);
    this.write(run, lines);
    this.ended('a', run, exitCode);
    this.hear();
  }

  finish(): void {
    this.closed('a');
    this.hear();
  }

  get report(): StatusMessage | undefined {
    return this.disk.reports[0];
  }

  get progressReports(): unknown[] {
    return this.progress.map(({ status, progress, status_message: message }) => [status, progress, message]);
  }
}

test('the extensions of an environment template apply to its own actions only', (t) => {
  const own = (name: string, extensions: readonly string[]) =>
    environment(name, { onEnter: action(`enter ${name}`), extensions });
  const line = 'openjd_redacted_env: TOKEN=hunter2';
  const declared = new Session({ job_environments: [own('Outer', ['REDACTED_ENV_VARS'])] });
  declared.step(1, [line]);
  t.equal(declared.variables[1]?.['TOKEN'], 'hunter2', 'set: the environment template declares it');
  const undeclared = new Session({ ...HIDING, job_environments: [own('Outer', [])] });
  undeclared.step(1, [line]);
  t.notOk('TOKEN' in (undeclared.variables[1] ?? {}), 'not set: only the job template declares it');
  t.match(undeclared.log, /variable not set/);

  const expression = (extensions: readonly string[] | undefined) =>
    environment('Sum', { variables: { SUM: '{{1 + 1}}' }, ...(extensions !== undefined && { extensions }) });
  const sum = (
    job: readonly string[],
    ofTemplate: readonly string[] | undefined,
  ): string | null | undefined =>
    new Session({ extensions: job, job_environments: [expression(ofTemplate)] }).variables[0]?.['SUM'];
  t.equal(sum([], ['EXPR']), '2', 'EXPR of the environment template');
  t.equal(sum(['EXPR'], undefined), '2', 'an environment of the job template has those of the job');
  t.equal(sum(['EXPR'], []), undefined, 'without EXPR it is not a valid format string');
  t.end();
});

test('a redacted variable is set for later actions, and its value is in no log and no report', (t) => {
  const fixture = new Session({ ...HIDING, ...ENTERING });
  fixture.step(1, ['openjd_redacted_env: TOKEN=hunter2', 'set to hunter2']);
  t.equal(fixture.variables[1]?.['TOKEN'], 'hunter2');
  fixture.started('a', 2);
  fixture.write(2, ['openjd_status: with hunter2', 'openjd_unset_env: TOKEN', 'hunter2hunter2']);
  fixture.write(2, ['err hunter2', 'openjd_fail: not hunter2 again'], 'stderr');
  fixture.ended('a', 2, 1);
  fixture.step(3, ['openjd_env: 1=hunter2'], 1);
  fixture.finish();
  t.equal(
    fixture.log,
    [
      `openjd_redacted_env: TOKEN=${REDACTED}`,
      `set to ${REDACTED}`,
      `openjd_status: with ${REDACTED}`,
      'openjd_unset_env: TOKEN',
      REDACTED + REDACTED,
      `err ${REDACTED}`,
      `openjd_fail: not ${REDACTED} again`,
      `openjd_env: 1=${REDACTED} -- ERROR: Failed to parse environment variable assignment.`,
      '',
    ].join('\n'),
  );
  t.match(fixture.report, {
    status: 'failed',
    message: `not ${REDACTED} again; environment E, onExit: Failed to parse environment variable assignment.`,
    status_message: `with ${REDACTED}`,
  });
  t.notMatch(JSON.stringify([fixture.other, fixture.progress, fixture.logged]), 'hunter2');
  t.end();
});

test('the report of a failed attempt has an excerpt of its log, without redacted values', (t) => {
  const fixture = new Session({ ...HIDING, ...ENTERING });
  fixture.step(1, ['openjd_redacted_env: TOKEN=hunter2', 'entered']);
  fixture.step(2, ['loading', 'Error: hunter2 was refused', 'quit'], 1);
  fixture.step(3, ['exited']);
  fixture.finish();
  t.equal(
    fixture.report?.failure_excerpt,
    [`openjd_redacted_env: ${REDACTED}`, 'entered', 'loading', `Error: ${REDACTED} was refused`].join('\n'),
  );
  t.end();
});

test('the report of an attempt that has succeeded has no excerpt', (t) => {
  const fixture = new Session({});
  fixture.step(1, ['Error: harmless']);
  fixture.finish();
  t.match(fixture.report, { status: 'succeeded', failure_excerpt: undefined });
  t.end();
});

test('without the extension the value is redacted and the variable is not set', (t) => {
  const fixture = new Session(ENTERING);
  fixture.step(1, ['openjd_redacted_env: TOKEN=hunter2', 'hunter2']);
  t.notOk('TOKEN' in (fixture.variables[1] ?? {}));
  t.equal(
    fixture.log,
    `openjd_redacted_env: TOKEN=${REDACTED}\n[callsheet] openjd_redacted_env: value redacted, variable not set: the template does not declare the extension REDACTED_ENV_VARS\n${REDACTED}\n`,
  );
  t.end();
});

test('an invalid redacted variable is a warning with the extension and cancels the action without it', (t) => {
  const lines = ['openjd_redacted_env: hunter2', 'is hunter2'];
  const lenient = new Session({ ...HIDING, ...ENTERING });
  lenient.step(1, lines);
  t.equal(
    lenient.log,
    `openjd_redacted_env: ${REDACTED}\n[callsheet] openjd_redacted_env: Failed to parse environment variable assignment.\nis ${REDACTED}\n`,
  );
  t.equal(lenient.variables.length, 2, 'the action continues');
  const strict = new Session({ ...ENTERING });
  strict.started('a', 1);
  strict.write(1, lines);
  t.equal(strict.other.at(-1)?.kind, 'kill-action');
  t.equal(strict.log, `openjd_redacted_env: ${REDACTED}\nis ${REDACTED}\n`);
  t.end();
});

test('a line that is meant to redact a value redacts it in the error too', (t) => {
  const fixture = new Session(HIDING);
  fixture.step(1, ['openjd_redacted_env:TOKEN=hunter2'], 0);
  fixture.finish();
  t.match(fixture.report, { status: 'failed', message: /Incorrectly formatted openjd env command/ });
  t.notMatch(fixture.report?.message, 'hunter2');
  t.notMatch(fixture.log, 'hunter2');
  t.end();
});

test('a redacted variable of a task is not set for the next action, but its value stays hidden', (t) => {
  const fixture = new Session({ ...HIDING, ...ENTERING });
  fixture.step(1);
  fixture.step(2, ['openjd_redacted_env: TOKEN=hunter2']);
  t.notOk('TOKEN' in (fixture.variables[2] ?? {}));
  fixture.step(3, ['bye hunter2']);
  t.match(fixture.log, `bye ${REDACTED}\n`);
  t.end();
});

test('the error of a command that cannot start contains no hidden values', (t) => {
  const fixture = new Session({ ...HIDING, ...ENTERING });
  fixture.step(1, ['openjd_redacted_env: "TOKEN=one\\ntwo\\nthree"']);
  fixture.ended('a', 2, { kind: 'not-started', reason: 'command not found: x one\ntwo\nthree y' });
  fixture.step(3);
  fixture.finish();
  t.match(fixture.report, { status: 'failed', message: `command not found: x ${REDACTED} y` });
  t.end();
});

test('too many redacted values cancel the action and hide all further output', (t) => {
  const fixture = new Session(HIDING);
  fixture.started('a', 1);
  fixture.write(
    1,
    Array.from({ length: 5000 }, (_, nth) => `openjd_redacted_env: A=value-${nth}`),
  );
  fixture.write(1, ['plain']);
  t.match(fixture.log, new RegExp(`\n${REDACTED.replaceAll('*', '[*]')}\n$`));
  t.notMatch(fixture.log, /value-|plain/);
  t.ok(fixture.other.some(({ kind }) => kind === 'kill-action'));
  t.end();
});

test('output below the log level is not logged, and the level of a task does not affect other tasks', (t) => {
  const fixture = new Session(ENTERING);
  fixture.step(1, ['shown', 'openjd_session_runtime_loglevel: warning', 'not shown']);
  t.equal(fixture.log, 'shown\nopenjd_session_runtime_loglevel: warning\n');
  fixture.started('a', 2);
  fixture.write(2, ['not shown', 'openjd_progress: x', 'openjd_session_runtime_loglevel: DEBUG', 'shown']);
  fixture.ended('a', 2, 0);
  fixture.step(3, ['not shown', 'openjd_progress: 5']);
  t.equal(
    fixture.log,
    `shown
openjd_session_runtime_loglevel: warning
openjd_progress: x -- ERROR: Progress must be a floating point value between 0.0 and 100.0, inclusive.
shown
`,
  );
  t.ok(fixture.consumed > 0);
  t.end();
});

test('output that is not logged does not slow the process down', (t) => {
  const fixture = new Session({});
  fixture.started('a', 1);
  fixture.write(1, ['openjd_session_runtime_loglevel: ERROR']);
  t.ok(fixture.log);
  const before = fixture.consumed;
  fixture.write(1, ['12345', '67890']);
  t.equal(fixture.consumed - before, 12);
  t.end();
});

test('progress is published at once, then the latest once a second, and the terminal report replaces it', (t) => {
  const fixture = new Session({});
  fixture.started('a', 1);
  fixture.ranForAMoment('a');
  fixture.write(1, ['openjd_progress: 1', 'openjd_progress: 2', 'openjd_status: loading\u001b[1m\tit']);
  t.same(fixture.progressReports, [['running', 2, 'loading [1m it']]);
  for (let percent = 3; percent < 50; percent += 1) fixture.write(1, [`openjd_progress: ${percent}`]);
  t.equal(fixture.progressReports.length, 1);
  fixture.pass(1000);
  fixture.hear();
  t.same(fixture.progressReports.slice(1), [['running', 49, 'loading [1m it']]);
  fixture.write(1, ['openjd_progress: 49', 'openjd_progress: 101', 'plain']);
  fixture.pass(3000);
  fixture.hear();
  t.equal(fixture.progressReports.length, 2, 'unchanged progress is not published');
  fixture.write(1, ['openjd_progress: 60']);
  fixture.write(1, ['openjd_progress: 70', `openjd_status: ${'x'.repeat(2000)}`]);
  t.equal(fixture.progressReports.length, 3);
  fixture.ended('a', 1, 0);
  fixture.hear();
  fixture.finish();
  fixture.pass(5000);
  fixture.hear();
  t.equal(fixture.progressReports.length, 3);
  t.match(fixture.report, { status: 'succeeded', progress: 70, status_message: 'x'.repeat(1024) });
  t.end();
});

test('a task that ends at once publishes only its terminal report, with its progress', (t) => {
  const fixture = new Session({});
  fixture.started('a', 1);
  fixture.write(1, ['openjd_progress: 1']);
  fixture.pass(AGENT_LIMITS.runningHoldMs - 1);
  fixture.write(1, ['openjd_progress: 2']);
  fixture.ended('a', 1, 0);
  fixture.hear();
  fixture.finish();
  fixture.pass(5000);
  fixture.hear();
  t.same(fixture.progressReports, []);
  t.match(fixture.report, { status: 'succeeded', progress: 2 });
  t.same(
    fixture.other.flatMap((effect) => (effect.kind === 'report' ? [effect.report.status] : [])),
    ['succeeded'],
  );
  t.end();
});

test('progress of an environment is published for the waiting task and reset before the next action', (t) => {
  const fixture = new Session(ENTERING);
  fixture.started('a', 1);
  fixture.write(1, ['openjd_status: starting', 'openjd_progress: 50']);
  fixture.pass(1500);
  fixture.hear();
  fixture.ended('a', 1, 0);
  fixture.hear();
  t.same(fixture.progressReports, [
    ['running', 50, 'starting'],
    ['running', undefined, ''],
  ]);
  fixture.step(2, ['openjd_progress: 80']);
  fixture.step(3, ['openjd_progress: 10', 'openjd_status: cleaning']);
  fixture.finish();
  t.match(fixture.report, { status: 'succeeded', progress: 80 });
  t.notOk('status_message' in (fixture.report ?? {}));
  t.end();
});

test('a value split between lines or chunks does not appear in the log', (t) => {
  const fixture = new Session(HIDING);
  fixture.started('a', 1);
  const secret = `first${'0123456789'.repeat(100)}last`;
  const assembler = new LineAssembler(64 * 1024);
  const write = (text: string): void => {
    const lines = assembler.push(Buffer.from(text));
    const batch = { stream: 'stdout', lines, cut: assembler.lastCut, bytes: 1 } as const;
    fixture.deliver('session', fixture.sessionOf('a'), { type: 'action.output', run: 1, batch });
  };
  write(`openjd_redacted_env: A=${secret}\n`);
  // The log's own chunks are at most 32 KiB.
  write(
    `${'x'.repeat(32 * 1024 - 50)}${secret}${'y'.repeat(32 * 1024 - 1500)}${secret}${'z'.repeat(1000)}\n`,
  );
  write(`short first01\n${secret.slice(0, 500)}`);
  write(`${secret.slice(500)}\n`);
  t.equal(
    fixture.log.replace(/xx+/, 'X').replace(/yy+/, 'Y').replace(/zz+/, 'Z'),
    `openjd_redacted_env: A=${REDACTED}\nX${REDACTED}Y${REDACTED}Z\nshort first01\n${REDACTED}\n`,
  );
  t.end();
});

test('a line of more than 64 KiB is logged completely, and a directive in its middle is text', (t) => {
  const fixture = new Session({});
  fixture.started('a', 1);
  const assembler = new LineAssembler(64 * 1024);
  const write = (text: string): void => {
    const lines = assembler.push(Buffer.from(text));
    const batch = { stream: 'stdout', lines, cut: assembler.lastCut, bytes: 1 } as const;
    fixture.deliver('session', fixture.sessionOf('a'), { type: 'action.output', run: 1, batch });
  };
  const line = `${'x'.repeat(64 * 1024)}openjd_fail: no${'y'.repeat(150_000)}end`;
  write(`${line.slice(0, 100_000)}`);
  write(`${line.slice(100_000)}\nnext\n`);
  t.equal(fixture.log, `${line}\nnext\n`);
  t.ok(fixture.chunks.length > 4);
  fixture.ended('a', 1, 0);
  fixture.hear();
  fixture.finish();
  t.match(fixture.report, { status: 'succeeded' }, 'a piece of a line is not a directive');
  t.end();
});

test('a directive of more than 64 KiB is cut with a mark', (t) => {
  const fixture = new Session(HIDING);
  fixture.started('a', 1);
  const assembler = new LineAssembler(64 * 1024);
  const lines = assembler.push(Buffer.from(`openjd_redacted_env: A=${'s'.repeat(70_000)}tail\nnext\n`));
  const batch = { stream: 'stdout', lines, cut: assembler.lastCut, bytes: 1 } as const;
  fixture.deliver('session', fixture.sessionOf('a'), { type: 'action.output', run: 1, batch });
  t.match(
    fixture.log,
    /^openjd_redacted_env: A=\*{8}\n[^\n]*too long[^\n]*\n\[callsheet\] the rest of this line is not logged: a directive has at most 64 KiB\nnext\n$/s,
  );
  t.notMatch(fixture.log, /tail|ssss/);
  t.end();
});

const LINE_BYTES = 120;
const part = fc.string({ unit: fc.constantFrom('α', 'β', '😀'), minLength: 1, maxLength: 6 });
const valueLines = fc.array(part, { minLength: 1, maxLength: 3 });

test('no value leaves the session, however its output is split', (t) => {
  fc.assert(
    fc.property(
      fc.array(valueLines, { minLength: 1, maxLength: 4 }),
      fc.array(fc.oneof(part, fc.nat(3), fc.constant('\n'), fc.constant('openjd_status: ')), {
        maxLength: 60,
        size: 'max',
      }),
      fc.array(fc.nat(1000), { maxLength: 10 }),
      (values, output, cuts) => {
        const directives = values.map(
          (lines) => `openjd_redacted_env: ${JSON.stringify(`A=${lines.join('\n')}`)}\n`,
        );
        // A number is the index of one of the values.
        const text = output.map((piece) =>
          typeof piece === 'number' ? (values[piece] ?? ['x']).join('\n') : piece,
        );
        const bytes = Buffer.from(`${directives.join('')}${text.join('')}`);
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
          (a, b) => a - b,
        );
        const fixture = new Session(HIDING);
        fixture.started('a', 1);
        const assembler = new LineAssembler(LINE_BYTES);
        const write = (lines: readonly string[]): void => {
          const batch = { stream: 'stdout', lines, cut: assembler.lastCut, bytes: 1 } as const;
          fixture.deliver('session', fixture.sessionOf('a'), { type: 'action.output', run: 1, batch });
        };
        for (const [nth, end] of places.slice(1).entries())
          write(assembler.push(bytes.subarray(places[nth], end)));
        const last = assembler.end();
        if (last !== null) write([last]);
        fixture.ended('a', 1, { kind: 'not-started', reason: `command not found: ${text.join('')}` });
        fixture.hear();
        fixture.finish();
        const needles = values.flatMap((lines) => [lines.join('\n'), lines[0] ?? '', lines.at(-1) ?? '']);
        const left = [
          fixture.log,
          JSON.stringify([fixture.report, fixture.progress]),
          fixture.logged.join('\n'),
        ];
        for (const each of left) {
          const shown = each.split(REDACTED).join('|');
          t.same(
            needles.filter((needle) => shown.includes(needle)),
            [],
          );
        }
      },
    ),
    { numRuns: 200 },
  );
  t.end();
});

test('a value is hidden in a line of one stream if the other stream may have redacted it before', (t) => {
  const fixture = new Session({ ...HIDING, ...ENTERING });
  fixture.started('a', 1);
  const hiding = [{ line: 'openjd_redacted_env: TOKEN=hunter2', isCut: false }];
  fixture.deliverToSession('a', {
    type: 'action.output',
    run: 1,
    batch: { stream: 'stdout', lines: ['with hunter2'], bytes: 13, hiding },
  });
  fixture.write(1, ['openjd_redacted_env: TOKEN=hunter2'], 'stderr');
  fixture.ended('a', 1, 0);
  fixture.hear();
  t.equal(fixture.log, `with ${REDACTED}\nopenjd_redacted_env: TOKEN=${REDACTED}\n`);
  t.equal(fixture.variables[1]?.['TOKEN'], 'hunter2', 'the directive is applied once, with its own line');
  t.end();
});

test('the report of a failed attempt names the patterns of retry rules that its log contains', (t) => {
  const lines = ['seat server says busy', ...Array.from({ length: 150 }, (_, at) => `line ${at}`)];
  const patterns = ['says b[aeiou]sy$', 'absent', '^line 7$'];
  const fixture = new Session({ log_patterns: patterns });
  fixture.step(1, lines, 70);
  fixture.finish();
  t.same(fixture.report?.log_matches, ['says b[aeiou]sy$', '^line 7$']);
  const successful = new Session({ log_patterns: patterns });
  successful.step(1, lines);
  successful.finish();
  t.equal(successful.report?.log_matches, undefined, 'only of a failure');
  t.end();
});

import fc from 'fast-check';
import { test } from 'tap';
import { parseDirective, readLine, type Directive } from '../../../actors/agent/session/directives.ts';
import { REDACTED, Redactor } from '../../../actors/agent/session/redaction.ts';

const ASSIGNMENT = 'Failed to parse environment variable assignment.';
const NAME = 'Failed to parse environment variable name.';

const malformed = (reason: string): Directive => ({ kind: 'malformed', reason });
const set = (name: string, value: string): Directive => ({ kind: 'set', name, value });

const TABLE: readonly (readonly [string, Directive | null])[] = [
  ['openjd_progress: 50', { kind: 'progress', percent: 50 }],
  ['openjd_progress:  12.5 ', { kind: 'progress', percent: 12.5 }],
  ['openjd_progress: 0', { kind: 'progress', percent: 0 }],
  ['openjd_progress: 1e2', { kind: 'progress', percent: 100 }],
  ['openjd_progress: fifty', { kind: 'bad-progress' }],
  ['openjd_progress: -0.01', { kind: 'bad-progress' }],
  ['openjd_progress: 100.1', { kind: 'bad-progress' }],
  ['openjd_progress: NaN', { kind: 'bad-progress' }],
  ['openjd_progress: 0x10', { kind: 'bad-progress' }],
  ['openjd_status:  saving ', { kind: 'status', text: ' saving ' }],
  ['openjd_fail: no licence', { kind: 'fail', text: 'no licence' }],
  ['openjd_env: A=b', set('A', 'b')],
  ['openjd_env:  \tA=b=c', set('A', 'b=c')],
  ['openjd_env: A=', set('A', '')],
  ['openjd_env: A= ', set('A', ' ')],
  ['openjd_env: "A=one\\ntwo"', set('A', 'one\ntwo')],
  ['openjd_env: "A=\\ud83d\\ude00"', set('A', '😀')],
  ['openjd_env: "A"', malformed(ASSIGNMENT)],
  ['openjd_env: "A=b', malformed(ASSIGNMENT)],
  ['openjd_env: A', malformed(ASSIGNMENT)],
  ['openjd_env: A =b', malformed(ASSIGNMENT)],
  ['openjd_env: 1A=b', malformed(ASSIGNMENT)],
  ['openjd_env: "A=a\\u0000b"', malformed(ASSIGNMENT)],
  ['openjd_session_runtime_loglevel: WARNING', { kind: 'level', level: 'WARNING' }],
  ['openjd_session_runtime_loglevel:  error ', { kind: 'level', level: 'ERROR' }],
  ['openjd_session_runtime_loglevel: BOGUS', null],
  ['openjd_session_runtime_loglevel:INFO', null],
  ['openjd_unset_env:  A', { kind: 'unset', name: 'A' }],
  ['openjd_unset_env: A=b', malformed(NAME)],
  ['openjd_unset_env: 1A', malformed(NAME)],
  ...[
    'openjd_env',
    'OPENJD_ENV: A=b',
    ' openjd_env: A=b',
    'openjd_env:A=b',
    'openjd_unset_env A',
    'openjd_redacted_env',
    'openjd_redacted_env:',
  ].map(
    (line) =>
      [line, malformed(`Open Job Description: Incorrectly formatted openjd env command (${line})`)] as const,
  ),
  ['openjd_progress:50', null],
  [' openjd_progress: 50', null],
  ['OPENJD_PROGRESS: 50', null],
  ['openjd_status:x', null],
  ['openjd_fail:x', null],
  ['openjd_fail: ', null],
  ['openjd_environment_setup', null],
  ['say openjd_env: A=b', null],
  ['', null],
];

test('a line is a directive, an invalid one, or plain output', (t) => {
  for (const [line, directive] of TABLE) t.same(parseDirective(line), directive, line);
  t.end();
});

/** A line that hides a value: its directive, its logged form, and values that later lines must not show. */
const HIDING: readonly (readonly [
  line: string,
  directive: object,
  logged: string,
  later: readonly string[],
])[] = [
  [
    'openjd_redacted_env: A=b',
    { kind: 'redacted', name: 'A', value: 'b' },
    `openjd_redacted_env: A=${REDACTED}`,
    ['b'],
  ],
  [
    'openjd_redacted_env:  A=b=c ',
    { kind: 'redacted', value: 'b=c ' },
    `openjd_redacted_env:  A=${REDACTED}`,
    ['b=c '],
  ],
  ['openjd_redacted_env: A=', { kind: 'redacted', value: '' }, `openjd_redacted_env: A=${REDACTED}`, []],
  [
    'openjd_redacted_env: "A=x\\ny\\u0041z"',
    { kind: 'redacted', name: 'A', value: 'x\nyAz' },
    `openjd_redacted_env: "A=${REDACTED}`,
    ['x', 'yAz', 'x\\ny\\u0041z'],
  ],
  [
    'openjd_redacted_env: secret',
    { kind: 'bad-redacted', reason: ASSIGNMENT },
    `openjd_redacted_env: ${REDACTED}`,
    ['secret'],
  ],
  [
    'openjd_redacted_env: 1A=secret',
    { kind: 'bad-redacted' },
    `openjd_redacted_env: 1A=${REDACTED}`,
    ['secret'],
  ],
  [
    'openjd_redacted_env: "A=sec\\tret',
    { kind: 'bad-redacted' },
    `openjd_redacted_env: "A=${REDACTED}`,
    ['sec\\tret', 'sec\tret'],
  ],
  [
    'openjd_redacted_env: "A=sec\\u0000ret"',
    { kind: 'bad-redacted' },
    `openjd_redacted_env: "A=${REDACTED}`,
    ['sec', 'ret'],
  ],
  [
    'openjd_redacted_env: A ="secret" ',
    { kind: 'bad-redacted' },
    `openjd_redacted_env: A =${REDACTED}`,
    ['secret'],
  ],
  ...[
    ' openjd_redacted_env: A=secret',
    'OPENJD_REDACTED_ENV: A=secret',
    'openjd_redacted_env:A=secret',
    'openjd_redacted_env A=secret',
  ].map((line): (typeof HIDING)[number] => {
    const shown = `${line.slice(0, -'secret'.length)}${REDACTED}`;
    const reason = `Open Job Description: Incorrectly formatted openjd env command (${shown})`;
    return [line, malformed(reason), `${shown} -- ERROR: ${reason}`, ['secret']];
  }),
];

test('a line that hides a value shows it neither itself nor later, nor in its error', (t) => {
  for (const [line, directive, logged, later] of HIDING) {
    const redactor = new Redactor();
    const read = readLine(line, false, redactor);
    t.match(read.directive, directive, line);
    t.equal(read.logged, logged, line);
    for (const value of later)
      t.equal(redactor.line(`<${value}>`), `<${REDACTED}>`, `${line}, then ${value}`);
  }
  t.end();
});

test('lines are logged with their error and level', (t) => {
  const redactor = new Redactor();
  const read = (line: string): unknown => {
    const { logged, level } = readLine(line, false, redactor);
    return [level, logged];
  };
  t.same(read('plain'), ['INFO', 'plain']);
  t.same(read('openjd_progress: 12'), ['INFO', 'openjd_progress: 12']);
  const progress = 'Progress must be a floating point value between 0.0 and 100.0, inclusive.';
  t.same(read('openjd_progress: x'), ['ERROR', `openjd_progress: x -- ERROR: ${progress}`]);
  t.same(read('openjd_env: A'), ['ERROR', `openjd_env: A -- ERROR: ${ASSIGNMENT}`]);
  redactor.add('1A');
  t.same(read('openjd_unset_env: 1A'), ['ERROR', `openjd_unset_env: ${REDACTED} -- ERROR: ${NAME}`]);
  t.match(read('openjd_env:1A=b'), ['ERROR', /[(]openjd_env:[*]{8}=b[)]$/]);
  t.end();
});

test('the texts of directives contain no hidden values', (t) => {
  const redactor = new Redactor();
  redactor.add('secret');
  t.same(readLine('openjd_status: a secret', false, redactor).directive, {
    kind: 'status',
    text: `a ${REDACTED}`,
  });
  t.same(readLine('openjd_fail: a sec', true, redactor).directive, { kind: 'fail', text: `a ${REDACTED}` });
  t.end();
});

test('a variable whose end was cut off is not set, and its known beginning hides the rest of a line', (t) => {
  t.match(readLine('openjd_env: A=long', true, new Redactor()).directive, {
    kind: 'malformed',
    reason: /too long/,
  });
  const redactor = new Redactor();
  t.match(readLine('openjd_redacted_env: A=long', true, redactor).directive, {
    kind: 'bad-redacted',
    reason: /too long/,
  });
  t.equal(redactor.line('a longer one'), `a ${REDACTED}`);
  const lines = new Redactor();
  readLine('openjd_redacted_env: "A=one\\ntwo\\u00', true, lines);
  t.equal(lines.line('one, two and three'), `${REDACTED}, ${REDACTED}`);
  t.end();
});

test('a redacted variable never shows the part after its first equals sign, whatever the line looks like', (t) => {
  const part = fc.string({
    unit: fc.constantFrom('a', '"', '\\', 'u', '0', ' ', '\t', '\r', '😀', '\0'),
    maxLength: 12,
    size: 'max',
  });
  const prefix = fc.constantFrom(
    'openjd_redacted_env: ',
    'openjd_redacted_env:',
    ' OpenJD_redacted_ENV: "',
    'openjd_redacted_env ',
  );
  fc.assert(
    fc.property(prefix, part, fc.boolean(), (begin, rest, isCut) => {
      const secret = `S3C${rest}R3T`;
      const redactor = new Redactor();
      const { logged, directive } = readLine(`${begin}NAME=${secret}`, isCut, redactor);
      for (const text of [
        logged,
        JSON.stringify({ ...directive, value: '', hides: {} }),
        redactor.line(`say ${secret}`),
      ]) {
        t.notMatch(text, /S3C|R3T/);
      }
    }),
  );
  t.end();
});

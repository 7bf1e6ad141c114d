import { test } from 'tap';
import { parseDirective, type Directive } from '../../../actors/agent/session/directives.ts';

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
  ['openjd_redacted_env: A=b', { kind: 'redacted', name: 'A', value: 'b' }],
  ['openjd_redacted_env: A', malformed(ASSIGNMENT)],
  ['openjd_unset_env:  A', { kind: 'unset', name: 'A' }],
  ['openjd_unset_env: A=b', malformed(NAME)],
  ['openjd_unset_env: 1A', malformed(NAME)],
  ...[
    'openjd_env',
    'OPENJD_ENV: A=b',
    ' openjd_env: A=b',
    'openjd_env:A=b',
    'openjd_unset_env A',
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

test('a line is a directive, the attempt at one, or plain output', (t) => {
  for (const [line, directive] of TABLE) t.same(parseDirective(line), directive, line);
  t.end();
});

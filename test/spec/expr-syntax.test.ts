import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { runOpenjdJsonl } from '../../cli/openjd/jsonl.ts';
import { escapedText } from '../../src/openjd/expr/format/escaped-text.ts';
import { sharedFolder } from './shared-folder.ts';

/** The syntax vectors: their exact texts and names, which the scorer does not compare. */
const folder = sharedFolder('openjd');
const skip = folder === null ? 'the vectors are not here' : false;

interface Vector {
  readonly id: string;
  readonly file: string;
  readonly kind: string;
  readonly expr?: string;
  readonly input?: string;
  readonly expect: {
    readonly ok?: boolean;
    readonly result?: string;
    readonly error?: string;
    readonly error_contains?: readonly string[];
    readonly error_message_contains?: readonly string[];
    readonly accessed_symbols?: readonly string[];
    readonly accessed_symbols_contains?: readonly string[];
    readonly accessed_symbols_len?: number;
    readonly called_functions?: readonly string[];
    readonly called_functions_contains?: readonly string[];
    readonly local_bindings?: readonly string[];
    readonly local_bindings_contains?: readonly string[];
  };
}

interface Answer {
  readonly ok: boolean;
  readonly error?: string;
  readonly accessed_symbols?: readonly string[];
  readonly called_functions?: readonly string[];
  readonly local_bindings?: readonly string[];
}

const MODES: Readonly<Record<string, string>> = {
  parse: 'parse',
  format_string_parse: 'format_parse',
  eval: 'evaluate',
};

/** Upstream tests of expression syntax and of the display of errors. */
const FILES = [
  'test_ast_validation',
  'test_error_formatting',
  'test_evaluation',
  'test_expression_depth',
  'test_int64_bounds',
  'test_parse_expression',
  'test_profile_threading',
  'test_slicing',
];

const ONE_OFF =
  'in a source of several lines the caret is one character after the operator (docs/decisions/expression-syntax.md)';

/** Texts that differ here, with the reason. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['expr/test_error_formatting/multiline_type_error_in_parens/0', ONE_OFF],
  ['expr/test_error_formatting/multiline_type_error_on_first_line/0', ONE_OFF],
  ['expr/test_error_formatting/multiline_type_error_deeply_nested/0', ONE_OFF],
  ['expr/test_error_formatting/range_expr_parse_error_carries_caret/0', 'the words of the reader of ranges'],
]);

const vectors = (): readonly Vector[] =>
  JSON.parse(readFileSync(`${folder}/vectors/expr_vectors.json`, 'utf8')) as readonly Vector[];

/** Returns the vectors with the responses of the command. */
async function answered(wanted: readonly Vector[]): Promise<readonly (readonly [Vector, Answer])[]> {
  const answers: Answer[] = [];
  async function* lines(): AsyncGenerator<string> {
    for (const vector of wanted) yield JSON.stringify({ ...vector, mode: MODES[vector.kind] });
  }
  await runOpenjdJsonl('eval', lines(), (line) => void answers.push(JSON.parse(line) as Answer));
  return wanted.map((vector, index) => [vector, answers[index] ?? { ok: false }]);
}

void test('parse errors have the exact text', { skip }, async (t) => {
  const departed: string[] = [];
  let texts = 0;
  const wanted = vectors().filter(({ kind, file }) =>
    kind === 'eval' ? FILES.includes(file) : kind in MODES,
  );
  for (const [{ id, expr, expect }, { error = '' }] of await answered(wanted)) {
    const parts = [...(expect.error_contains ?? []), ...(expect.error_message_contains ?? [])];
    const holds = parts.every((part) => error.includes(part)) && (expect.error ?? error) === error;
    texts += parts.length + (expect.error === undefined ? 0 : 1);
    if (!holds) departed.push(id);
    if (!holds && !OTHERS.has(id)) t.fail(id, { expr, error, expect });
  }
  t.same(departed.sort(), [...OTHERS.keys()].sort());
  t.equal(texts, 119);
});

void test('expressions reference the expected symbols', { skip }, async (t) => {
  let sets = 0;
  const wanted = vectors().filter(({ kind }) => kind === 'parse' || kind === 'format_string_parse');
  for (const [{ id, expect }, answer] of await answered(wanted)) {
    t.equal(answer.ok, expect.ok, id);
    for (const key of ['accessed_symbols', 'called_functions', 'local_bindings'] as const) {
      const [all, some] = [expect[key], expect[`${key}_contains`]];
      sets += all === undefined && some === undefined ? 0 : 1;
      if (all !== undefined) t.same([...(answer[key] ?? [])].sort(), [...all].sort(), id);
      if (some !== undefined)
        t.ok(
          some.every((name) => answer[key]?.includes(name)),
          id,
        );
    }
    if (expect.accessed_symbols_len !== undefined) {
      t.equal(answer.accessed_symbols?.length, expect.accessed_symbols_len, id);
    }
  }
  t.equal(sets, 38);
});

void test('texts are escaped as in the specification', { skip }, async (t) => {
  const wanted = vectors().filter(({ kind }) => kind === 'escape_format_string');
  for (const { id, input, expect } of wanted) t.equal(escapedText(input ?? ''), expect.result, id);
  t.ok(wanted.length > 0);
});

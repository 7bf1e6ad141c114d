import { test } from 'tap';
import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import {
  evaluate,
  prepare,
  type Evaluated,
  type ExprContext,
} from '../../../src/openjd/expr/evaluate/evaluate.ts';
import {
  EXPR_LIMITS,
  MAX_EXPRESSION_DEPTH,
  MAX_SOURCE_BYTES,
  MAX_STRING_BYTES,
  MAX_TEMPLATE_OPERATIONS,
} from '../../../src/openjd/expr/expr-limits.ts';
import { SCRIPT_LIMITS } from '../../../src/openjd/template/language/script-tally.ts';
import { KEPT_BINDINGS } from '../../../src/openjd/template/text-checker.ts';
import { parseExpression } from '../../../src/openjd/expr/syntax/parse-expression.ts';
import { parseExprFormat } from '../../../src/openjd/expr/format/format-string.ts';
import { prepareFormat, resolveFormat } from '../../../src/openjd/expr/format/resolve-format.ts';
import { ANY } from '../../../src/openjd/expr/type-system/expr-type.ts';
import { parseType } from '../../../src/openjd/expr/type-system/type-text.ts';
import { displayOf } from '../../../src/openjd/expr/values/display.ts';
import { readValue } from '../../../src/openjd/expr/values/read-value.ts';
import { typeOf, type Value } from '../../../src/openjd/expr/values/value.ts';
import { createJob, readTemplate } from '../../../client/package/openjd.ts';
import { contentOf } from '../../tidy/project-files.ts';

const PAGE = contentOf('docs/expressions.md');

/** Returns the rows of all tables with these headings, without backticks. */
function rowsBelow(headings: readonly string[]): string[][] {
  const rows: string[][] = [];
  let inside = false;
  for (const line of PAGE.split('\n')) {
    const cells = line.startsWith('|') ? line.split('|').slice(1, -1) : [];
    const texts = cells.map((cell) => cell.trim().replace(/^`(.*)`$/, '$1'));
    if (cells.length === 0) inside = false;
    else if (texts.join() === headings.join()) inside = true;
    else if (inside && !/^-+$/.test(texts[0] ?? '')) rows.push(texts);
  }
  return rows;
}

function valuesOfPage(): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [name = '', type = '', text = ''] of rowsBelow(['Name', 'Type', 'Value'])) {
    const read = readValue(parseType(type) ?? ANY, text, 'posix');
    if (!read.ok) throw new Error(read.detail);
    values.set(name, read.value);
  }
  return values;
}

const SYMBOLS = valuesOfPage();

const CONTEXT: ExprContext = {
  limits: EXPR_LIMITS,
  pathStyle: 'posix',
  regex: createRe2Engine(),
  host: { kind: 'none' },
};

function formatted(source: string): Evaluated {
  const parsed = parseExprFormat(source);
  if (!parsed.ok) throw parsed.failure;
  return resolveFormat(prepareFormat(parsed.format, null), SYMBOLS, CONTEXT);
}

function evaluated(source: string): Evaluated {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.failure;
  return evaluate(prepare(parsed.expr, source, null), SYMBOLS, CONTEXT);
}

const told = (result: Evaluated): readonly string[] =>
  result.ok ? [displayOf(result.value), typeOf(result.value).text] : [result.detail];

void test('the examples on the page have the documented values and types', (t) => {
  const rows = rowsBelow(['Expression', 'Value', 'Type']);
  t.ok(rows.length > 30, `${rows.length} examples`);
  for (const [source = '', ...says] of rows) t.same(told(evaluated(source)), says, source);
  const formats = rowsBelow(['Format string', 'Value', 'Type']);
  t.ok(formats.length > 4, `${formats.length} format strings`);
  for (const [source = '', ...says] of formats) t.same(told(formatted(source)), says, source);
  t.end();
});

void test('the errors on the page are those of the implementation', (t) => {
  const errors = [...PAGE.matchAll(/^```text\n([^`]+)\n```$/gm)].map((match) => match[1] ?? '');
  t.equal(errors.length, 3);
  for (const error of errors) {
    const result = evaluated(error.split('\n')[1]?.trim() ?? '');
    t.equal(result.ok ? 'no error' : result.text, error);
  }
  t.end();
});

void test('the limits on the page are those of the implementation', (t) => {
  const says = rowsBelow(['Limit', 'Value', 'Beyond it']).map(([, value = '']) =>
    Number(/^[\d,]+/.exec(value)?.[0].replaceAll(',', '')),
  );
  const { memory, operations } = EXPR_LIMITS;
  t.same(says.slice(0, 5), [memory, operations, MAX_STRING_BYTES, MAX_SOURCE_BYTES, MAX_EXPRESSION_DEPTH]);
  t.equal(says[5], MAX_TEMPLATE_OPERATIONS);
  t.same(says.slice(7), [KEPT_BINDINGS, SCRIPT_LIMITS.operations, SCRIPT_LIMITS.operations]);
  t.end();
});

void test('the template on the page creates the described job', (t) => {
  const [, template = ''] = /^```yaml\n([^`]*)```$/m.exec(PAGE) ?? [];
  const read = readTemplate(template);
  const made = read.ok ? createJob(read.document, { Scene: '/shows/a/b.ma', Preview: 'true' }) : read;
  const { jobName, steps } = made.ok ? made.job.plan : { jobName: JSON.stringify(made.errors), steps: [] };
  t.same([jobName, ...steps.map(({ name, taskCount }) => `${name} ${taskCount}`)], ['b', 'Render 10']);
  t.end();
});

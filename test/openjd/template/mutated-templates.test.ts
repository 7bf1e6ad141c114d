import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { readDocument } from '../../../src/adapters/yaml/read-document.ts';
import type { DocumentNode } from '../../../src/openjd/primitives/document.ts';
import { checkTemplate } from '../../../src/openjd/template/check-template.ts';
import { prepareJob } from '../../../src/openjd/template/expand/prepare-job.ts';
import { openSpace } from '../../../src/openjd/template/space/open-space.ts';
import type { PointedError } from '../../../src/openjd/primitives/pointed-error.ts';
import { templateSchema } from '../../../src/openjd/template/schema/template-schema.ts';
import { plainValueOf } from './plain-value.ts';
import { documentOf } from './template-text.ts';
import { rounds } from '../../kit/rounds.ts';

/** Number of templates in each test; `CALLSHEET_MUTATIONS=100000` for a long run. */
const RUNS = Number(process.env['CALLSHEET_MUTATIONS'] ?? rounds(600, 2000));

const TEXT = `specificationVersion: jobtemplate-2023-09
extensions: [TASK_CHUNKING, SVC_CHUNK_BOUNDS]
name: "Job {{Param.Name}}"
description: |
  Two lines
  of text
parameterDefinitions:
  - {name: Name, type: STRING, default: abc, allowedValues: [abc, def], minLength: 1, userInterface: {control: DROPDOWN_LIST, label: Name}}
  - {name: Last, type: INT, default: 20, minValue: 1, maxValue: "100", userInterface: {singleStepDelta: 2}}
  - {name: Scale, type: FLOAT, default: 1.50, userInterface: {decimals: 2}}
  - {name: File, type: PATH, default: a/b, objectType: FILE, dataFlow: IN, userInterface: {fileFilters: [{label: All, patterns: ["*.exr", "*"]}]}}
jobEnvironments:
  - name: Base
    variables: {A: "{{Param.File}}", B_1: x}
    script:
      actions: {onEnter: {command: enter, args: ["{{Env.File.Setup}}"]}, onExit: {command: leave, timeout: 5}}
      embeddedFiles: [{name: Setup, type: TEXT, filename: setup.sh, runnable: true, data: "x {{Session.WorkingDirectory}}"}]
steps:
  - name: Render
    hostRequirements:
      amounts: [{name: amount.worker.vcpu, min: 2, max: 4.5}]
      attributes: [{name: attr.worker.os.family, anyOf: [linux, windows]}, {name: attr.custom, allOf: ["{{Param.Name}}"]}]
    parameterSpace:
      taskParameterDefinitions:
        - {name: Frame, type: "CHUNK[INT]", range: "1-{{Param.Last}}:2,200", chunks: {defaultTaskCount: 3, targetRuntimeSeconds: "0", rangeConstraint: NONCONTIGUOUS}}
        - {name: Camera, type: STRING, range: [left, "{{Param.Name}}"]}
        - {name: Weight, type: FLOAT, range: [0.5, "1e3"]}
      combination: "Frame * (Camera, Weight)"
    script:
      actions:
        onRun: {command: render, args: ["{{Task.Param.Frame.Start}}", "{{Task.File.Run}}"], timeout: 60, cancelation: {mode: NOTIFY_THEN_TERMINATE, notifyPeriodInSeconds: 5}}
      embeddedFiles: [{name: Run, type: TEXT, data: "{{Task.RawParam.Camera}}"}]
  - name: Join
    dependencies: [{dependsOn: Render}]
    stepEnvironments: [{name: Local, variables: {C: d}}]
    script: {actions: {onRun: {command: join}}}
`;

const EXPR_TEXT = `specificationVersion: jobtemplate-2023-09
extensions: [EXPR, TASK_CHUNKING]
name: "{{ Param.Name.upper() }} {{ len(Param.Frames) }}"
parameterDefinitions:
  - {name: Name, type: string, default: abc}
  - {name: Last, type: INT, default: 20}
  - {name: Frames, type: range_expr, default: "1-10", minLength: 1}
  - {name: Fast, type: BOOL, default: yes}
  - {name: Files, type: "LIST[PATH]", default: [/a, "s3://b/c"], objectType: FILE, dataFlow: IN, item: {minLength: 1, allowedValues: [/a, "s3://b/c"]}}
  - {name: Grid, type: "LIST[LIST[INT]]", default: [[1, 2], [3]], item: {maxLength: 4, item: {minValue: 0}}, userInterface: {control: HIDDEN}}
  - {name: Weights, type: "LIST[FLOAT]", default: [1.5, "2"], userInterface: {control: SPIN_BOX_LIST, decimals: 1}}
jobEnvironments:
  - name: Base
    variables: {A: "{{ Job.Name }}"}
    script:
      let: ["n = len(Param.Files)"]
      actions: {onEnter: {command: enter, args: ["{{ n }}", "{{ [f.name for f in Param.Files] }}"]}}
steps:
  - name: Render
    let: ["half = Param.Last // 2", "names = [Param.Name + string(i) for i in Param.Grid[0]]", "raw = RawParam.Files"]
    hostRequirements:
      attributes: [{name: attr.custom, anyOf: ["{{ names }}", "{{ null }}", x]}]
    parameterSpace:
      taskParameterDefinitions:
        - {name: Frame, type: "chunk[int]", range: "{{ Param.Frames }}", chunks: {defaultTaskCount: "{{ half }}", rangeConstraint: CONTIGUOUS}}
        - {name: Camera, type: STRING, range: "{{ names }}"}
        - {name: Weight, type: FLOAT, range: ["{{ Param.Weights }}"]}
      combination: "Frame * (Camera, Weight)"
    script:
      let: ["out = Param.Files[0].parent / Step.Name", "size = Task.Param.Weight * half"]
      actions:
        onRun: {command: "{{ 'a' if Param.Fast else 'b' }}", args: ["{{ out / string(size) }}", "{{ raw if Param.Fast else null }}", "{{ apply_path_mapping(Param.Name) }}"]}
`;

const BUNDLE_TEXT = `specificationVersion: jobtemplate-2023-09
extensions: [FEATURE_BUNDLE_1, WRAP_ACTIONS, EXPR]
name: "{{ Param.Name }}"
parameterDefinitions:
  - {name: Name, type: STRING, default: abc}
  - {name: Last, type: INT, default: 20}
jobEnvironments:
  - name: Container
    script:
      let: ["image = Param.Name"]
      actions:
        onEnter: {command: start, args: ["{{ image }}"], timeout: "{{ Param.Last }}"}
        onWrapEnvEnter: {command: exec, args: ["{{ WrappedAction.Command }}", "{{ WrappedAction.Args }}"], timeout: "{{ WrappedAction.Timeout }}"}
        onWrapTaskRun: {command: exec, args: ["{{ WrappedStep.Name }}"], cancelation: {mode: "{{ WrappedAction.Cancelation.Mode }}"}}
        onWrapEnvExit: {command: exec, args: ["{{ WrappedEnv.Name }}"]}
steps:
  - name: Render
    hostRequirements:
      amounts: [{name: amount.worker.memory, min: "{{ Param.Last }}", max: "{{ Param.Last * 2 }}"}]
    bash: {script: "echo {{ a }}", let: ["a = 1"], args: [-v], timeout: 7, cancelation: {mode: NOTIFY_THEN_TERMINATE, notifyPeriodInSeconds: "{{ Param.Last }}"}}
  - name: Join
    script:
      actions: {onRun: {command: join, args: ["{{ Task.File.Run }}"]}}
      embeddedFiles: [{name: Run, type: TEXT, data: x, endOfLine: CRLF}]
`;

/** Values that a hostile or careless author inserts instead of others. */
const replacement: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    '',
    '{{',
    '}}',
    '{{}}',
    '{{Param.Name}}',
    '{{Param.File}}',
    '1-10',
    '(A)',
    '{{ Param.Last + 1 }}',
    '{{ [1, 2] }}',
    '{{ null }}',
    "{{ 'x' * 10 ** 8 }}",
    'half = names',
    '\u0000',
    '__proto__',
  ),
  fc.constantFrom(
    'INT',
    'CHUNK[INT]',
    'LIST[INT]',
    'list[bool]',
    'RANGE_EXPR',
    'Render',
    'Join',
    'Frame',
    'Local',
    'attr.worker.os.family',
    'amount.worker.usagepool.x',
    '1-9223372036854775807',
  ),
  fc.string({ maxLength: 5 }),
  fc.jsonValue({ maxDepth: 2 }),
);

interface Mutation {
  readonly place: number;
  readonly kind: 'replace' | 'delete' | 'repeat' | 'rename';
  readonly value: unknown;
}

const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    place: fc.nat({ max: 400 }),
    kind: fc.constantFrom('replace', 'delete', 'repeat', 'rename'),
    value: replacement,
  }),
  { minLength: 1, maxLength: 4 },
);

/** Returns every location in a tree: its container and key. */
function placesOf(
  tree: unknown,
  found: [container: object, key: string][] = [],
): [container: object, key: string][] {
  if (typeof tree !== 'object' || tree === null) return found;
  for (const [key, value] of Object.entries(tree)) {
    found.push([tree, key]);
    placesOf(value, found);
  }
  return found;
}

function mutate(tree: unknown, mutation: Mutation): void {
  const places = placesOf(tree);
  const [container, key] = places[mutation.place % Math.max(1, places.length)] ?? [{}, ''];
  const value: unknown = Reflect.get(container, key);
  if (mutation.kind === 'replace') Reflect.set(container, key, mutation.value);
  else if (mutation.kind === 'repeat') Reflect.set(container, key, [value, value]);
  else if (Array.isArray(container)) container.splice(Number(key), mutation.kind === 'delete' ? 1 : 0, value);
  else {
    Reflect.deleteProperty(container, key);
    if (mutation.kind === 'rename')
      Reflect.set(container, `${key}${(JSON.stringify(mutation.value) ?? '').slice(0, 3)}`, value);
  }
}

/** The longest time of one template in milliseconds, for long runs. */
class Slowest {
  private milliseconds = 0;

  measure(judge: () => boolean): boolean {
    const startedAt = performance.now();
    const verdict = judge();
    this.milliseconds = Math.max(this.milliseconds, performance.now() - startedAt);
    return verdict;
  }

  get text(): string {
    return `${RUNS} templates, the slowest ${this.milliseconds.toFixed(1)} ms`;
  }
}

/** Asserts that a document yields a job with readable spaces, or errors with positions and messages. */
function endsWell(document: DocumentNode): boolean {
  const result = prepareJob(document, new Map([['Last', '30']]), { expressions: EXPRESSIONS });
  if (!result.ok) return arePointed(result.errors);
  return result.job.plan.steps.every((step) => {
    const space = openSpace(step.space);
    return space.length === step.taskCount && space.indexOf(space.at(space.length - 1)) !== null;
  });
}

/** Asserts that a text yields a job or errors. */
function endsAnyway(text: string, format: 'yaml' | 'json'): boolean {
  const read = readDocument(text, format);
  return read.ok ? endsWell(read.document) : arePointed(read.errors);
}

const arePointed = (errors: readonly PointedError[]): boolean =>
  errors.length > 0 &&
  errors.every(
    ({ pointer, detail, line, column }) =>
      /^(?:\/.*)?$/s.test(pointer) && detail !== '' && (line ?? 0) >= 1 && (column ?? 0) >= 1,
  );

void test('the original templates are valid', (t) => {
  for (const text of [TEXT, EXPR_TEXT, BUNDLE_TEXT]) {
    const result = prepareJob(documentOf(text), new Map(), { expressions: EXPRESSIONS });
    t.same(result.ok ? [] : result.errors, []);
  }
  t.end();
});

void test('a mutated template yields a job or errors', (t) => {
  const originals = [TEXT, EXPR_TEXT, BUNDLE_TEXT].map((text) => plainValueOf(documentOf(text)));
  const slowest = new Slowest();
  fc.assert(
    fc.property(fc.constantFrom(...originals), mutations, (original, list) => {
      const tree: unknown = structuredClone(original);
      for (const mutation of list) mutate(tree, mutation);
      const text = JSON.stringify(tree);
      return slowest.measure(() => endsAnyway(text, 'json'));
    }),
    { numRuns: RUNS },
  );
  t.comment(slowest.text);
  t.end();
});

void test('the schema of templates accepts each mutated template that the checker accepts', (t) => {
  const originals = [TEXT, EXPR_TEXT, BUNDLE_TEXT].map((text) => plainValueOf(documentOf(text)));
  const accepts = new Ajv2020({ strict: false }).compile(templateSchema());
  let valid = 0;
  fc.assert(
    fc.property(fc.constantFrom(...originals), mutations, (original, [mutation]) => {
      const tree: unknown = structuredClone(original);
      if (mutation !== undefined) mutate(tree, mutation);
      const read = readDocument(JSON.stringify(tree), 'json');
      if (!read.ok || !checkTemplate(read.document, { expressions: EXPRESSIONS }).ok) return true;
      valid++;
      return accepts(tree);
    }),
    { numRuns: RUNS },
  );
  t.ok(valid > 0, `${valid} of ${RUNS} templates are valid`);
  t.end();
});

/** Pieces of YAML syntax to insert into a text. */
const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    ' ',
    '\t',
    '- ',
    '? ',
    ': ',
    '{',
    '}',
    '[',
    ']',
    ',',
    '&a ',
    '*a',
    '!!str ',
    '|',
    '>',
    '"',
    "'",
    '#',
    '---\n',
    '...\n',
    '%',
    '\\',
    '\r',
    '0x',
    '{{',
    '}}',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

void test('a damaged text yields a job or errors', (t) => {
  const slowest = new Slowest();
  fc.assert(
    fc.property(
      fc.constantFrom(TEXT, EXPR_TEXT, BUNDLE_TEXT),
      fc.array(fc.record({ at: fc.nat({ max: TEXT.length }), cut: fc.nat({ max: 30 }), put: piece }), {
        minLength: 1,
        maxLength: 4,
      }),
      (original, edits) => {
        const text = edits.reduce<string>(
          (before, { at, cut, put }) => before.slice(0, at) + put + before.slice(at + cut),
          original,
        );
        return slowest.measure(() => endsAnyway(text, 'yaml'));
      },
    ),
    { numRuns: RUNS },
  );
  t.comment(slowest.text);
  t.end();
});

void test('any short text yields a document or errors, in both formats', (t) => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30, size: 'max' }),
      fc.constantFrom('yaml' as const, 'json' as const),
      (pieces, format) => {
        return endsAnyway(pieces.join(''), format);
      },
    ),
    { numRuns: RUNS },
  );
  t.end();
});

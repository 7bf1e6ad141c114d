import { test } from 'tap';
import type { JobDetail, ProductSummary } from '../../../../client/resources.ts';
import { commandLine } from '../../../../web/pages/submit/model/command-line.ts';
import {
  afterSubmission,
  EMPTY_DRAFT,
  readDraft,
  withTemplate,
  type Draft,
} from '../../../../web/pages/submit/model/draft.ts';
import { draftOf } from '../../../../web/pages/submit/model/job-draft.ts';
import {
  NO_ERRORS,
  assignErrorsToFields,
  dropStaleErrors,
} from '../../../../web/pages/submit/model/field-errors.ts';
import {
  asNames,
  chosenProducts,
  withFavourite,
  withRecent,
  type ProductChoice,
} from '../../../../web/pages/submit/model/product-choice.ts';
import { readDocument } from '../../../../web/pages/submit/model/read-document.ts';
import { readTemplate } from '../../../../web/pages/submit/model/read-template.ts';
import { newKey } from '../../../../web/pages/submit/model/request-key.ts';
import {
  lengthProblem,
  destinationProblems,
  submissionOf,
} from '../../../../web/pages/submit/model/submission.ts';

const TEXT = `
parameterDefinitions:
  - { name: Broken }
  - { name: Frames, type: STRING, default: 1-10 }
  - { name: Layers, type: "LIST[STRING]" }
extensions: [EXPR]
`;
const read = readDocument(TEXT);
const outline = readTemplate(read.ok ? read.root : { kind: 'null' });
const WITH_DESTINATION: Draft = { ...EMPTY_DRAFT, text: TEXT, farmId: 'f', queueId: 'q' };

void test('a request contains only the entered values', (t) => {
  t.strictSame(
    submissionOf({ ...WITH_DESTINATION, values: { Layers: [], Frames: '1-10' } }, outline, 'yaml'),
    {
      product: null,
      query: { farm_id: 'f', queue_id: 'q', parameters: { 'param.Layers': '[]' } },
      document: { type: 'application/x-yaml', text: TEXT },
      environments: [],
    },
  );
  const full = {
    ...WITH_DESTINATION,
    project: 'p 1',
    owner: ' ada ',
    priority: '-5',
    maxAttempts: '3',
    retryDelaySeconds: '0',
    failureLimit: '0',
    maxConcurrentTasks: '12',
    dependsOn: [{ id: 'a', name: 'A' }],
    isPaused: true,
    startAfter: '2026-11-22T20:00',
    values: { Frames: '', Layers: ['x'] },
  };
  t.strictSame(submissionOf(full, outline, 'json'), {
    product: null,
    query: {
      farm_id: 'f',
      queue_id: 'q',
      project: 'p 1',
      owner: 'ada',
      priority: -5,
      max_attempts: 3,
      retry_delay_seconds: 0,
      failure_limit: 0,
      max_concurrent_tasks: 12,
      depends_on: ['a'],
      paused: true,
      start_after: new Date('2026-11-22T20:00').toISOString(),
      parameters: { 'param.Frames': '', 'param.Layers': '["x"]' },
    },
    document: { type: 'application/json', text: TEXT },
    environments: [],
  });
  const environments = [{ template: 'specificationVersion: environment-2023-09', format: 'yaml' as const }];
  const sent = submissionOf({ ...WITH_DESTINATION, environments }, outline, 'yaml');
  t.equal(sent.document.type, 'application/vnd.callsheet.submission+json');
  t.strictSame(JSON.parse(sent.document.text), { template: TEXT, format: 'yaml', environments });
  t.end();
});

void test('a request of a product has its name and a job name, and no limit of the query', (t) => {
  const draft = { ...WITH_DESTINATION, jobName: 'shot 10', values: { Frames: 'x'.repeat(70_000) } };
  const request = submissionOf(draft, outline, 'yaml', 'vendor/tool');
  t.strictSame(request.product, { name: 'vendor/tool', jobName: 'shot 10' });
  t.equal(lengthProblem(request), null);
  t.not(lengthProblem(submissionOf(draft, outline, 'yaml')), null);
  t.strictSame(Object.fromEntries(destinationProblems({ ...WITH_DESTINATION, jobName: 'é'.repeat(129) })), {
    jobName: 'Must have at most 128 characters.',
  });
  const kept = afterSubmission({
    ...draft,
    isPaused: true,
    left: ['project'],
    sent: { request: '', key: '' },
  });
  t.strictSame(kept, { ...draft, jobName: '' });
  t.end();
});

void test('errors of a product submission are those of its body', (t) => {
  const errors = [
    { pointer: '/queue_id', detail: 'the farm has no queue q' },
    { pointer: '/name', detail: 'is too long' },
    { pointer: '/steps/0', detail: 'is wrong' },
  ];
  const assigned = assignErrorsToFields(errors, outline, true);
  t.strictSame(Object.fromEntries(assigned.query), {
    queue_id: 'the farm has no queue q',
    name: 'is too long',
  });
  t.strictSame(assigned.rest, ['/steps/0: is wrong']);
  t.strictSame(assigned.template, []);
  t.end();
});

void test('favourites come first, then the recently used products, then the titles', (t) => {
  const product = (name: string, title: string, category = '3D'): ProductSummary => ({
    name,
    title,
    category,
    description: '',
    version: '',
    source: 'custom',
    format: 'yaml',
  });
  const all = [
    product('a', 'Zebra'),
    product('b', 'Apple'),
    product('c', 'Movie', 'Video'),
    product('d', 'Bake'),
  ];
  const names = (some: Partial<ProductChoice>): readonly string[] =>
    chosenProducts(all, { search: '', category: '', recent: [], favourites: [], ...some }).map(
      ({ name }) => name,
    );
  t.strictSame(names({}), ['b', 'd', 'c', 'a']);
  t.strictSame(names({ recent: ['c', 'a'], favourites: ['d'] }), ['d', 'c', 'a', 'b']);
  t.strictSame(names({ search: 'VIDEO mov' }), ['c']);
  t.strictSame(names({ category: '3D', search: 'a' }), ['b', 'd', 'a']);
  t.strictSame(withRecent(['a', 'b'], 'b'), ['b', 'a']);
  t.equal(withRecent(['1', '2', '3', '4', '5', '6', '7', '8'], '9').length, 8);
  t.strictSame(withFavourite(withFavourite(['a'], 'b'), 'a'), ['b']);
  t.strictSame([asNames(['a']), asNames([1]), asNames('a')], [['a'], null, null]);
  t.end();
});

void test('a problem of another field is assigned to the field', (t) => {
  t.strictSame([...destinationProblems(WITH_DESTINATION)], []);
  const wrong = {
    ...EMPTY_DRAFT,
    project: 'a\u0001',
    owner: 'x'.repeat(256),
    priority: '2147483648',
    maxAttempts: '0',
  };
  t.strictSame(Object.fromEntries(destinationProblems({ ...wrong, failureLimit: '1.5' })), {
    farmId: 'Choose a farm.',
    queueId: 'Choose a queue.',
    project: 'Must not contain control characters.',
    owner: 'Must have at most 255 characters.',
    priority: 'Must be at most 2147483647.',
    maxAttempts: 'Must be at least 1.',
    failureLimit: 'Enter a whole number.',
  });
  t.end();
});

void test('values that are too long for a request have an error text', (t) => {
  const short = submissionOf({ ...WITH_DESTINATION, values: { Frames: 'x'.repeat(1024) } }, outline, 'yaml');
  t.equal(lengthProblem(short), null);
  const long = submissionOf(
    { ...WITH_DESTINATION, values: { Layers: Array<string>(20).fill('é'.repeat(1024)) } },
    outline,
    'yaml',
  );
  t.match(lengthProblem(long), /^The values have 1\d\d,\d{3} characters\. The limit is 60,000\./);
  t.end();
});

void test('errors of the server are assigned to fields', (t) => {
  const errors = assignErrorsToFields(
    [
      {
        pointer: '/parameterDefinitions/1',
        detail: 'the value of "Frames": "x" is not one of the allowedValues',
        line: 4,
        column: 5,
      },
      {
        pointer: '/parameterDefinitions/2',
        detail: 'the value of "Layers" at [3]: must be text',
        line: 5,
        column: 5,
      },
      {
        pointer: '/parameterDefinitions/2',
        detail: 'the parameter "Layers" has no default and needs a value',
        line: 5,
        column: 5,
      },
      { pointer: '/parameterDefinitions/1/default', detail: 'is wrong', line: 4, column: 9 },
      { pointer: '/parameterDefinitions/0', detail: 'the value of nothing', line: 3, column: 5 },
      { pointer: '/parameterDefinitions', detail: 'there is no parameter "Old"', line: 2, column: 1 },
      { pointer: '/query/queue_id', detail: 'the farm has no queue q' },
      { pointer: '/name', detail: 'is required' },
      { pointer: '', detail: 'no idea' },
    ],
    outline,
  );
  t.strictSame(Object.fromEntries(errors.values), {
    Frames: [{ index: null, detail: '"x" is not one of the allowedValues' }],
    Layers: [
      { index: 3, detail: 'must be text' },
      { index: null, detail: 'Enter a value.' },
    ],
  });
  t.strictSame(Object.fromEntries(errors.query), { queue_id: 'the farm has no queue q' });
  t.strictSame(errors.template, [
    { line: 4, column: 9, detail: '/parameterDefinitions/1/default: is wrong' },
    { line: 3, column: 5, detail: '/parameterDefinitions/0: the value of nothing' },
    { detail: '/name: is required' },
  ]);
  t.strictSame(errors.rest, ['there is no parameter "Old"', 'no idea']);
  t.strictSame(assignErrorsToFields([], null), NO_ERRORS);
  t.end();
});

void test('a change of a field removes only its own error', (t) => {
  const errors = {
    values: new Map([['Frames', [{ index: null, detail: 'wrong' }]]]),
    query: new Map([['priority', 'wrong']]),
    template: [{ detail: 'wrong' }],
    rest: ['wrong'],
  };
  const before = submissionOf(
    { ...WITH_DESTINATION, priority: '1', values: { Frames: 'a' } },
    outline,
    'yaml',
  );
  const remaining = (change: Partial<Draft>): unknown => {
    const now = submissionOf(
      { ...WITH_DESTINATION, priority: '1', values: { Frames: 'a' }, ...change },
      outline,
      'yaml',
    );
    const { values, query, template, rest } = dropStaleErrors(errors, before, now);
    return [values.size, query.size, template.length, rest.length];
  };
  t.strictSame(remaining({}), [1, 1, 1, 1]);
  t.strictSame(remaining({ values: { Frames: 'b' } }), [0, 1, 1, 0]);
  t.strictSame(remaining({ priority: '2' }), [1, 0, 1, 0]);
  t.strictSame(remaining({ text: 'x' }), [1, 1, 0, 0]);
  t.end();
});

void test('a draft round-trips through storage, and an invalid one is ignored', (t) => {
  const draft: Draft = {
    ...WITH_DESTINATION,
    source: 'a.yaml',
    isTemplateOpen: false,
    jobName: 'own',
    values: { Frames: '1', Layers: ['a', 'b'] },
    dependsOn: [{ id: 'a', name: 'A' }],
    isPaused: true,
    left: ['param.Frames'],
    sent: { request: '{}', key: 'k' },
  };
  t.strictSame(readDraft(JSON.parse(JSON.stringify(draft))), draft);
  t.strictSame(
    readDraft({
      text: 'x',
      values: { A: 1, B: [1, 'b'] },
      dependsOn: [3],
      isPaused: 'yes',
      left: 'no',
      sent: {},
    }),
    {
      ...EMPTY_DRAFT,
      text: 'x',
      values: { B: ['b'] },
    },
  );
  for (const none of [null, 1, 'x', [], {}, { text: 1 }]) t.equal(readDraft(none), null);
  t.strictSame(withTemplate(draft, 'new', 'b.yaml'), {
    ...draft,
    text: 'new',
    source: 'b.yaml',
    values: {},
    left: [],
  });
  t.end();
});

void test('a job is converted to a draft', (t) => {
  const job = {
    name: 'Shot 20',
    farm_id: 'f',
    queue_id: 'q',
    project: 'p',
    priority: 70,
    owner: 'ada',
    parameters: { Frames: '1-20', Layers: '["a"]' },
    effective_retry: { max_attempts: 5, retry_delay_seconds: 10, failure_limit: 0 },
    own_retry: { failure_limit: 0 },
    max_concurrent_tasks: 7,
  } as unknown as JobDetail;
  const sent = { name: 'Sent', origin: 'submission', format: 'json', template: '{}' } as const;
  t.strictSame(draftOf(job, TEXT, [{ ...sent, origin: 'queue' }, sent]), {
    ...EMPTY_DRAFT,
    text: TEXT,
    source: 'Shot 20',
    isTemplateOpen: false,
    values: { Frames: '1-20', Layers: '["a"]' },
    farmId: 'f',
    queueId: 'q',
    project: 'p',
    priority: '70',
    failureLimit: '0',
    maxConcurrentTasks: '7',
    environments: [{ template: '{}', format: 'json' }],
  });
  t.end();
});

void test('commands are quoted for a shell, and keys are unique', (t) => {
  t.equal(
    commandLine({ task: 'T', command: 'echo', args: ['a b', "it's", '', '--x=1', '/a/b'], cut: true }),
    `echo 'a b' 'it'\\''s' '' --x=1 /a/b …`,
  );
  t.equal(commandLine({ task: 'T', command: 'true', args: [] }), 'true');
  t.match(newKey(), /^[0-9a-f]{32}$/);
  t.not(newKey(), newKey());
  t.end();
});

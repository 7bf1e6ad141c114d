import { test } from 'tap';
import type { QueueEnvironment } from '../../../client/resources.ts';
import { moved } from '../../../web/pages/queue/environment-order.ts';
import { queueSeries } from '../../../web/pages/queue/queue-series.ts';
import { withQueueParameters } from '../../../web/pages/submit/model/queue-parameters.ts';
import { assignErrorsToFields } from '../../../web/pages/submit/model/field-errors.ts';
import { readDocument } from '../../../web/pages/submit/model/read-document.ts';
import { readTemplate, type TemplateOutline } from '../../../web/pages/submit/model/read-template.ts';

const environment = (id: string, priority: number): QueueEnvironment => ({
  id,
  queue_id: 'q',
  name: id,
  priority,
  format: 'yaml',
  template: '',
  created_at: '',
  updated_at: '',
  settings_version: '1',
});

void test('a move swaps the priorities of two environments', (t) => {
  const list = [environment('a', 10), environment('b', 20), environment('c', 25)];
  const priorities = (id: string, by: -1 | 1): unknown =>
    moved(list, id, by).map((each) => [each.environment.id, each.priority]);
  t.same(priorities('b', -1), [
    ['b', 10],
    ['a', 20],
  ]);
  t.same(priorities('b', 1), [
    ['b', 25],
    ['c', 20],
  ]);
  t.same(priorities('a', -1), [], 'the first one stays');
  t.same(priorities('c', 1), [], 'the last one stays');
  t.same(priorities('none', 1), []);
  t.end();
});

void test('a move among equal priorities numbers the environments', (t) => {
  const list = [environment('a', 0), environment('b', 0), environment('c', 30)];
  const result = moved(list, 'b', -1);
  t.same(
    result.map((each) => [each.environment.id, each.priority]),
    [
      ['b', 10],
      ['a', 20],
    ],
  );
  t.end();
});

function outlineOf(text: string): TemplateOutline {
  const reading = readDocument(text);
  if (!reading.ok) throw new Error('unreadable');
  return readTemplate(reading.root);
}

const JOB = outlineOf(
  'parameterDefinitions: [{name: Own, type: INT}, {name: Set, type: INT, default: 1}]\nsteps: []',
);
const definitions = (text: string): TemplateOutline['definitions'] => outlineOf(text).definitions;

void test('parameters of environments are added to those of the template', (t) => {
  const { definitions: all, parameterNames } = withQueueParameters(JOB, [
    definitions(
      'parameterDefinitions: [{name: Packages, type: STRING, default: a}, {name: Own, type: INT, default: 5}]',
    ),
    definitions(
      'parameterDefinitions: [{name: Packages, type: STRING, userInterface: {groupLabel: Software}}]',
    ),
  ]);
  t.same(
    all.map(({ name, default: value, group }) => [name, value, group]),
    [
      ['Own', '5', ''],
      ['Set', '1', ''],
      ['Packages', 'a', 'Software'],
    ],
  );
  t.same(parameterNames, ['Own', 'Set'], 'positions are those of the template');
  const [only] = withQueueParameters(JOB, [
    definitions('parameterDefinitions: [{name: P, type: STRING}]'),
  ]).definitions.slice(-1);
  t.equal(only?.group, 'Parameters of the queue');
  t.equal(withQueueParameters(JOB, []), JOB);
  t.end();
});

void test('errors about values of queue parameters go to their fields', (t) => {
  const { values, template } = assignErrorsToFields(
    [
      {
        pointer: '/parameterDefinitions',
        detail: 'the parameter "Need" of queue environment "Conda" has no default and needs a value',
      },
      {
        pointer: '/parameterDefinitions',
        detail: 'the value of "Count" of queue environment "A: B" at [1]: "x" is not an integer',
      },
    ],
    JOB,
  );
  t.same(template, []);
  t.same(
    [...values],
    [
      ['Need', [{ index: null, detail: 'Enter a value.' }]],
      ['Count', [{ index: 1, detail: '"x" is not an integer' }]],
    ],
  );
  t.end();
});

void test('the cores of a queue over time come from the history of its farm', (t) => {
  const entry = (key: string, booked: readonly number[], isOther = false) => ({
    key,
    is_other: isOther,
    cores_booked: booked,
    tasks_succeeded: [],
    tasks_failed: [],
  });
  const times = ['2026-01-02T03:00:00Z', '2026-01-02T03:03:00Z'];
  const queues = [entry('day', [3, 4]), entry('', [1, 1], true)];
  const history = { times, queues, cores_total: [8, 8] };
  const now = {
    at: '2026-01-02T03:05:00Z',
    cores_total: 9,
    cores_booked: 5,
    workers_online: 1,
    tasks_ready: 0,
    tasks_running: 5,
    queues: [{ key: 'day', is_other: false, cores_booked: 5 }],
    owners: [],
    projects: [],
  };
  const valuesOf = (id: string, of: Parameters<typeof queueSeries>[0] = history) =>
    queueSeries(of, id).series.map(({ values }) => values);
  t.same(valuesOf('day'), [
    [3, 4],
    [8, 8],
  ]);
  t.same(valuesOf('day', { ...history, now }), [
    [3, 4, 5],
    [8, 8, 9],
  ]);
  t.equal(queueSeries({ ...history, now }, 'day').times.length, 3, 'the chart ends now');
  t.equal(queueSeries(history, 'day').isAmongOthers, false);
  t.equal(queueSeries(history, 'night').isAmongOthers, true, 'its cores may be in the sum of all others');
  const complete = { ...history, queues: queues.slice(0, 1) };
  t.equal(queueSeries(complete, 'night').isAmongOthers, false);
  t.same(valuesOf('night', complete)[0], [0, 0], 'no task of it ran');
  t.end();
});

import * as fc from 'fast-check';
import { test } from 'tap';
import {
  bodyOf,
  problemsByField,
  problemsOf,
  valuesOf,
  type FormField,
} from '../../../web/pages/catalog/form-model.ts';

const FIELDS: readonly FormField[] = [
  { kind: 'text', name: 'name', label: 'Name', isRequired: true },
  { kind: 'area', name: 'description', label: 'Description' },
  { kind: 'integer', name: 'limit', label: 'Limit', min: 0, max: 10, whenEmpty: 0 },
  { kind: 'integer', name: 'attempts', label: 'Attempts', min: 1, max: 5, whenEmpty: null },
  { kind: 'flag', name: 'paused', label: 'Paused' },
  { kind: 'text', name: 'user', label: 'User', isNullable: true },
  { kind: 'pairs', name: 'roots', label: 'Roots', nameLabel: 'Location', valueLabel: 'Root' },
];

test('a new entry starts empty and sends the values of empty fields', (t) => {
  const values = valuesOf(FIELDS, null);
  t.strictSame(Object.fromEntries(problemsOf(FIELDS, values)), { name: 'Name is required.' });
  t.strictSame(bodyOf(FIELDS, { ...values, name: ' north ' }), {
    name: 'north',
    description: '',
    limit: 0,
    attempts: null,
    paused: false,
    user: null,
    roots: {},
  });
  t.end();
});

test('an entry without changes is sent unchanged', (t) => {
  fc.assert(
    fc.property(
      fc.record({
        name: fc
          .string({ minLength: 1 })
          .map((text) => text.trim())
          .filter((text) => text !== ''),
        description: fc.string(),
        limit: fc.integer({ min: 0, max: 10 }),
        attempts: fc.option(fc.integer({ min: 1, max: 5 })),
        paused: fc.boolean(),
        user: fc.option(fc.constantFrom('render', 'fx')),
        roots: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^\/[a-z]{1,8}$/)),
      }),
      (entry) => {
        const values = valuesOf(FIELDS, entry);
        t.equal(problemsOf(FIELDS, values).size, 0);
        t.strictSame(bodyOf(FIELDS, values), { ...entry, roots: { ...entry.roots } });
      },
    ),
    { numRuns: 100 },
  );
  t.end();
});

test('a problem of a value is assigned to its field', (t) => {
  const problem = (change: object): object =>
    Object.fromEntries(problemsOf(FIELDS, { ...valuesOf(FIELDS, null), name: 'a', ...change }));
  t.strictSame(problem({ limit: '11' }), { limit: 'Must be at most 10.' });
  t.strictSame(problem({ limit: '-1' }), { limit: 'Must be at least 0.' });
  t.strictSame(problem({ limit: '1.5' }), { limit: 'Enter a whole number.' });
  t.strictSame(problem({ attempts: '1e3' }), { attempts: 'Enter a whole number.' });
  t.strictSame(problem({ roots: [{ name: 'a', value: '' }] }), {
    roots: 'Each row needs a location and a root. Complete or remove the row.',
  });
  t.strictSame(
    problem({
      roots: [
        { name: 'a', value: '/x' },
        { name: ' a', value: '/y' },
      ],
    }),
    { roots: 'Duplicate location: a.' },
  );
  t.end();
});

test('an error of the server is assigned to its field, any other to the form', (t) => {
  const errors = [
    { pointer: '/name', detail: 'is taken' },
    { pointer: '/name', detail: 'must not be blank' },
    { pointer: '/roots/a~1b', detail: 'must be absolute' },
    { pointer: '/other', detail: 'is unknown' },
    { pointer: '', detail: 'must be an object' },
  ];
  t.strictSame(Object.fromEntries(problemsByField(FIELDS, errors)), {
    name: 'is taken\nmust not be blank',
    roots: 'a/b: must be absolute',
    '': '/other: is unknown\nmust be an object',
  });
  t.end();
});

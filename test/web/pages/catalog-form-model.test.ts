import * as fc from 'fast-check';
import { test } from 'tap';
import {
  bodyOf,
  pointedProblems,
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

test('a new entry begins empty, and is sent with what empty means', (t) => {
  const values = valuesOf(FIELDS, null);
  t.strictSame(Object.fromEntries(problemsOf(FIELDS, values)), { name: 'Name must be given.' });
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

test('an entry that is changed without a change is sent as it was', (t) => {
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

test('what cannot be sent is told at its field', (t) => {
  const problem = (change: object): object =>
    Object.fromEntries(problemsOf(FIELDS, { ...valuesOf(FIELDS, null), name: 'a', ...change }));
  t.strictSame(problem({ limit: '11' }), { limit: 'Must be at most 10.' });
  t.strictSame(problem({ limit: '-1' }), { limit: 'Must be at least 0.' });
  t.strictSame(problem({ limit: '1.5' }), { limit: 'Must be a whole number.' });
  t.strictSame(problem({ attempts: '1e3' }), { attempts: 'Must be a whole number.' });
  t.strictSame(problem({ roots: [{ name: 'a', value: '' }] }), {
    roots: 'Each row needs location and root: fill it in or remove it.',
  });
  t.strictSame(
    problem({
      roots: [
        { name: 'a', value: '/x' },
        { name: ' a', value: '/y' },
      ],
    }),
    { roots: 'a is there twice.' },
  );
  t.end();
});

test('what the service points to is told at its field, and all else above the form', (t) => {
  const errors = [
    { pointer: '/name', detail: 'is taken' },
    { pointer: '/name', detail: 'must not be blank' },
    { pointer: '/roots/a~1b', detail: 'must be absolute' },
    { pointer: '/other', detail: 'is odd' },
    { pointer: '', detail: 'must be an object' },
  ];
  t.strictSame(Object.fromEntries(pointedProblems(FIELDS, errors)), {
    name: 'is taken\nmust not be blank',
    roots: 'a/b: must be absolute',
    '': '/other: is odd\nmust be an object',
  });
  t.end();
});

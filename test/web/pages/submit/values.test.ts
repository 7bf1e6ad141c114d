import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { noRules } from '../../../../web/pages/submit/model/check-value.ts';
import type { ParameterDefinition } from '../../../../web/pages/submit/model/definition.ts';
import {
  isSame,
  listIn,
  submittedText,
  submittedValues,
  valueIn,
} from '../../../../web/pages/submit/model/values.ts';
import { anyText } from './arbitraries.ts';

const definition = (more: Partial<ParameterDefinition>): ParameterDefinition => ({
  name: 'P',
  position: 0,
  label: 'P',
  description: '',
  group: '',
  control: 'LINE_EDIT',
  rules: noRules('STRING'),
  default: null,
  step: null,
  decimals: null,
  filters: [],
  ...more,
});

void test('an untouched field has its default, the initial value of its control, or no value', (t) => {
  t.equal(valueIn(definition({ default: 'a' }), {}), 'a');
  t.equal(valueIn(definition({}), {}), null);
  t.equal(valueIn(definition({}), { P: '' }), '');
  t.strictSame(valueIn(definition({ rules: noRules('LIST[INT]') }), {}), []);
  t.equal(valueIn(definition({ control: 'CHECK_BOX', rules: noRules('BOOL') }), {}), 'false');
  const pair = { ...noRules('STRING'), allowed: ['Yes', 'No'] };
  t.equal(valueIn(definition({ control: 'CHECK_BOX', rules: pair }), {}), 'No');
  t.equal(
    valueIn(definition({ name: 'toString' }), {}),
    null,
    'inherited properties of objects are not values',
  );
  t.end();
});

void test('only values that differ from their defaults are submitted', (t) => {
  const definitions = [
    definition({ name: 'A', default: 'a' }),
    definition({ name: 'B', default: 'b' }),
    definition({ name: 'C' }),
    definition({ name: 'D', rules: noRules('LIST[INT]'), default: ['1', '2'], control: 'SPIN_BOX_LIST' }),
    definition({ name: 'E', rules: noRules('LIST[STRING]'), control: 'LINE_EDIT_LIST' }),
    definition({ name: 'H', control: 'HIDDEN', default: 'h' }),
  ];
  t.strictSame(submittedValues(definitions, {}), { E: '[]' });
  // As a job has them: lists are text, and an unknown name belongs to another template.
  t.strictSame(submittedValues(definitions, { A: 'a', B: '', D: '[1,2]', H: 'x', Z: 'z' }), {
    B: '',
    E: '[]',
    H: 'x',
  });
  t.strictSame(submittedValues(definitions, { D: ['2', '1'] }), { D: '[2, 1]', E: '[]' });
  t.end();
});

void test('lists are submitted as JSON with exact 64-bit integers', (t) => {
  t.equal(
    submittedText(noRules('LIST[INT]'), ['9007199254740993', '007', 'x']),
    '[9007199254740993, 7, "x"]',
  );
  t.equal(submittedText(noRules('LIST[FLOAT]'), ['1.50', '.5', '1e3']), '[1.50, ".5", 1e3]');
  t.equal(submittedText(noRules('LIST[BOOL]'), ['yes', 'false', '?']), '[true, false, "?"]');
  t.equal(submittedText(noRules('LIST[STRING]'), ['a"b', '']), '["a\\"b", ""]');
  t.equal(submittedText(noRules('LIST[LIST[INT]]'), ['1, 2', '', '3']), '[[1, 2], [], [3]]');
  t.end();
});

void test('a list of a job round-trips', (t) => {
  t.strictSame(listIn(noRules('LIST[INT]'), '[9007199254740993, 7]'), ['9007199254740993', '7']);
  t.strictSame(listIn(noRules('LIST[LIST[INT]]'), '[[1, 2], [], [3]]'), ['1, 2', '', '3']);
  t.strictSame(listIn(noRules('LIST[STRING]'), '[]'), []);
  t.strictSame(listIn(noRules('LIST[STRING]'), 'no list'), ['no list']);
  t.strictSame(listIn(noRules('LIST[STRING]'), '["broken]'), ['["broken]']);
  const texts = fc.array(anyText, { maxLength: 6 });
  for (const type of ['LIST[STRING]', 'LIST[PATH]'] as const)
    fc.assert(
      fc.property(texts, (value) => {
        assert.deepEqual(listIn(noRules(type), submittedText(noRules(type), value)), value);
      }),
    );
  const ints = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String), { maxLength: 6 });
  fc.assert(
    fc.property(ints, (value) => {
      assert.deepEqual(listIn(noRules('LIST[INT]'), submittedText(noRules('LIST[INT]'), value)), value);
      const nested = [value.join(', '), value.slice(1).join(', ')];
      const rules = noRules('LIST[LIST[INT]]');
      assert.deepEqual(listIn(rules, submittedText(rules, nested)), nested);
    }),
  );
  t.end();
});

void test('two notations of the same list are equal', (t) => {
  t.ok(isSame(noRules('LIST[INT]'), ['1', '02'], ['1', '2']));
  t.notOk(isSame(noRules('LIST[INT]'), ['1', '2'], ['2', '1']));
  t.notOk(isSame(noRules('STRING'), '', null));
  t.ok(isSame(noRules('STRING'), null, null));
  t.end();
});

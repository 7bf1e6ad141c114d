import fc from 'fast-check';
import { test } from 'tap';
import { parse } from 'yaml';
import { writeYaml } from '../../../src/adapters/yaml/write-yaml.ts';

test('texts are read back unchanged, also those with blank lines', (t) => {
  const blanks = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 8 });
  const line = fc.oneof(
    blanks,
    fc.string({ unit: fc.constantFrom('a', ' ', ':', '#', '"', '\\', '-'), maxLength: 50, size: 'max' }),
  );
  const text = fc.array(line, { maxLength: 6 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(fc.record({ text, list: fc.array(text, { maxLength: 3 }) }), (value) => {
      t.same(parse(writeYaml(value)), value);
    }),
    { numRuns: 500 },
  );
  for (const blank of [' ', ' \n', '\n  \n', `\n a '{"${'a'.repeat(30)} \nb\n\n \nc\n\n\n      `])
    t.equal(parse(writeYaml({ blank })).blank, blank);
  t.end();
});

import { test } from 'tap';
import { readPathMapping } from '../../../src/core/delivery/read-path-mapping.ts';

const file = (rules: unknown, version: unknown = 'pathmapping-1.0'): string =>
  JSON.stringify({ version, path_mapping_rules: rules });

void test('rules are parsed and sorted by source length, longest first', (t) => {
  t.strictSame(
    readPathMapping(
      file([
        { source_path_format: 'POSIX', source_path: '/a', destination_path: '/x', comment: 'left out' },
        { source_path_format: 'WINDOWS', source_path: 'C:\\bbb', destination_path: '/y' },
      ]),
    ),
    {
      ok: true,
      value: [
        { sourceFormat: 'WINDOWS', source: 'C:\\bbb', destination: '/y' },
        { sourceFormat: 'POSIX', source: '/a', destination: '/x' },
      ],
    },
  );
  t.strictSame(readPathMapping('{}'), { ok: true, value: [] });
  t.end();
});

void test('errors in rules are reported', (t) => {
  const rule = { source_path_format: 'POSIX', source_path: '/a', destination_path: '/x' };
  const cases: readonly (readonly [text: string, reason: RegExp])[] = [
    ['', /JSON/],
    ['[]', /must be an object/],
    [file([rule], 'pathmapping-2.0'), /^version: must be "pathmapping-1\.0"$/],
    [JSON.stringify({ path_mapping_rules: [] }), /version must be "pathmapping-1\.0"$/],
    [file({}), /^path_mapping_rules: must be a list$/],
    [
      file([rule, { ...rule, source_path_format: 'posix' }]),
      /^path_mapping_rules\[1\]\.source_path_format: must be one of POSIX, WINDOWS, URI$/,
    ],
    [file([{ ...rule, source_path: '' }]), /^path_mapping_rules\[0\]\.source_path: must not be empty$/],
    [
      file([{ source_path_format: 'POSIX', source_path: '/a' }]),
      /^path_mapping_rules\[0\]\.destination_path: is missing$/,
    ],
  ];
  for (const [text, reason] of cases) {
    const read = readPathMapping(text);
    t.match(read.ok ? '' : read.reason, reason, text);
  }
  t.end();
});

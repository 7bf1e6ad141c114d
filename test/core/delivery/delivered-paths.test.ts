import { test } from 'tap';
import { deliver, type DeliveredPaths } from '../../../src/core/delivery/delivered-paths.ts';
import type { PathDelivery } from '../../../src/openjd/template/deliveries.ts';
import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import type { ParameterValue } from '../../../src/openjd/template/plan.ts';

const MAPPING: PathMapping = {
  rules: [
    { sourceFormat: 'URI', source: 's3://shows/all', destination: '/Volumes/shows' },
    { sourceFormat: 'POSIX', source: '/mnt/plates', destination: 's3://plates/p' },
    { sourceFormat: 'POSIX', source: '/mnt/shows', destination: '/Volumes/shows' },
    { sourceFormat: 'WINDOWS', source: 'S:\\shows', destination: '/Volumes/shows' },
  ],
  roots: ['/Volumes/shows', 's3://plates/p', '/'],
};

const of = (
  deliveries: readonly PathDelivery[] | undefined,
  mapping: PathMapping | null = MAPPING,
  parameters: Readonly<Record<string, ParameterValue>> = {},
  extensions?: readonly string[],
): DeliveredPaths => deliver({ mapping, deliveries, extensions, parameters, directory: '/w/s' });

/** Removes the functions. */
const changes = ({ mapPath, ...rest }: DeliveredPaths) => ({ ...rest, mapped: mapPath('/mnt/shows/a') });

const NOTHING = {
  mapped: '/mnt/shows/a',
  rulesFile: '{}',
  hasRules: false,
  argumentsBefore: [],
  argumentsAfter: [],
  variables: {},
  transfers: [],
  staged: new Map(),
  fault: null,
};

const FILE = {
  version: 'pathmapping-1.0',
  path_mapping_rules: [
    { source_path_format: 'POSIX', source_path: '/mnt/shows', destination_path: '/Volumes/shows' },
    { source_path_format: 'WINDOWS', source_path: 'S:\\shows', destination_path: '/Volumes/shows' },
  ],
};

void test('the rules file contains URIs if the template declares EXPR', (t) => {
  const uriRule = {
    source_path_format: 'URI',
    source_path: 's3://shows/all',
    destination_path: '/Volumes/shows',
  };
  const file: readonly PathDelivery[] = [{ type: 'translation_file' }];
  const withUris = { ...FILE, path_mapping_rules: [uriRule, ...FILE.path_mapping_rules] };
  t.strictSame(changes(of(file, MAPPING, {}, ['TASK_CHUNKING', 'EXPR'])), {
    ...NOTHING,
    rulesFile: JSON.stringify(withUris),
    hasRules: true,
  });
  t.equal(of(undefined, MAPPING, {}, ['EXPR']).rulesFile, JSON.stringify(withUris), 'the default');
  t.equal(of(file, MAPPING, {}, ['TASK_CHUNKING']).rulesFile, JSON.stringify(FILE));
  const uris = { ...MAPPING, rules: MAPPING.rules.slice(0, 1) };
  t.strictSame(changes(of(file, uris)), NOTHING);
  t.strictSame(changes(of(file, uris, {}, ['EXPR'])), {
    ...NOTHING,
    rulesFile: JSON.stringify({ ...FILE, path_mapping_rules: [uriRule] }),
    hasRules: true,
  });
  t.end();
});

void test('each delivery changes its own parts, and nothing without a delivery', (t) => {
  t.strictSame(changes(of([])), NOTHING);
  t.strictSame(changes(of([{ type: 'swap_in_place' }])), { ...NOTHING, mapped: '/Volumes/shows/a' });
  const filed = { rulesFile: JSON.stringify(FILE), hasRules: true };
  t.strictSame(changes(of([{ type: 'translation_file' }])), { ...NOTHING, ...filed });
  t.strictSame(changes(of(undefined)), { ...NOTHING, mapped: '/Volumes/shows/a', ...filed }, 'the default');
  const args = ['-remap', '{{Rule.Source}}={{Rule.Destination}}'];
  const flags = [
    '-remap',
    's3://shows/all=/Volumes/shows',
    '-remap',
    '/mnt/shows=/Volumes/shows',
    '-remap',
    'S:\\shows=/Volumes/shows',
  ];
  t.strictSame(changes(of([{ type: 'command_flags', args, position: 'START' }])), {
    ...NOTHING,
    argumentsBefore: flags,
  });
  t.strictSame(changes(of([{ type: 'command_flags', args, position: 'END' }])), {
    ...NOTHING,
    argumentsAfter: flags,
  });
  t.strictSame(changes(of([{ type: 'environment', variable: 'PATHMAP' }])), {
    ...NOTHING,
    variables: {
      PATHMAP:
        '{"s3://shows/all":"/Volumes/shows","/mnt/shows":"/Volumes/shows","S:\\\\shows":"/Volumes/shows"}',
    },
  });
  const entry = '"{{Rule.Source}}" "{{Rule.Destination}}"';
  t.strictSame(of([{ type: 'environment', variable: 'R', entry, separator: ';' }]).variables, {
    R: '"s3://shows/all" "/Volumes/shows";"/mnt/shows" "/Volumes/shows";"S:\\shows" "/Volumes/shows"',
  });
  t.end();
});

void test('without rules nothing is added', (t) => {
  for (const mapping of [null, { rules: [], roots: ['/a'] }]) {
    const all: readonly PathDelivery[] = [
      { type: 'environment', variable: 'R' },
      { type: 'command_flags', args: ['-x'], position: 'END' },
      { type: 'translation_file' },
      { type: 'swap_in_place' },
    ];
    t.strictSame(changes(of(all, mapping)), NOTHING);
  }
  t.end();
});

void test('of two rules with the same source the variable contains the first', (t) => {
  const rule = { sourceFormat: 'POSIX', source: '/a' } as const;
  const rules = [
    { ...rule, destination: '/1' },
    { ...rule, destination: '/2' },
  ];
  t.strictSame(of([{ type: 'environment', variable: 'R' }], { rules, roots: [] }).variables, {
    R: '{"/a":"/1"}',
  });
  t.end();
});

const STAGE: readonly PathDelivery[] = [{ type: 'stage_locally' }];
const path = (value: string, parts: Partial<ParameterValue> = { dataFlow: 'IN' }): ParameterValue => ({
  type: 'PATH',
  value,
  ...parts,
});

void test('paths with a dataFlow are staged from their location', (t) => {
  const parameters = {
    Scene: path('/mnt/shows/s/a.ma', { dataFlow: 'IN', objectType: 'FILE' }),
    Plates: path('/mnt/plates/x/'),
    Out: path('/Volumes/shows/./out', { dataFlow: 'OUT', objectType: 'DIRECTORY' }),
    Root: path('S:/shows', { dataFlow: 'INOUT' }),
    Plain: path('/mnt/shows/p', {}),
    Empty: path(''),
    Name: { type: 'STRING', value: '/mnt/shows/x' },
  } as const;
  const { transfers, staged, fault, mapPath } = of(
    [{ type: 'swap_in_place' }, ...STAGE],
    MAPPING,
    parameters,
  );
  t.equal(fault, null);
  const common = { directory: '/w/s' };
  t.strictSame(transfers, [
    {
      ...common,
      parameter: 'Scene',
      objectType: 'FILE',
      flow: 'IN',
      root: '/Volumes/shows',
      below: ['s', 'a.ma'],
      localBelow: ['staged', 'Scene', 'a.ma'],
      local: '/w/s/staged/Scene/a.ma',
    },
    {
      ...common,
      parameter: 'Plates',
      objectType: 'DIRECTORY',
      flow: 'IN',
      root: 's3://plates/p',
      below: ['x'],
      localBelow: ['staged', 'Plates', 'x'],
      local: '/w/s/staged/Plates/x',
    },
    {
      ...common,
      parameter: 'Out',
      objectType: 'DIRECTORY',
      flow: 'OUT',
      root: '/Volumes/shows',
      below: ['out'],
      localBelow: ['staged', 'Out', 'out'],
      local: '/w/s/staged/Out/out',
    },
    {
      ...common,
      parameter: 'Root',
      objectType: 'DIRECTORY',
      flow: 'INOUT',
      root: '/Volumes/shows',
      below: [],
      localBelow: ['staged', 'Root', 'root'],
      local: '/w/s/staged/Root/root',
    },
  ]);
  t.strictSame(
    [...staged],
    transfers.map(({ parameter, local }) => [parameter, local]),
  );
  t.equal(mapPath('/mnt/plates/x'), '/mnt/plates/x', 'an S3 URI is not a path of this host');
  t.end();
});

void test('each element of a list of paths is staged separately', (t) => {
  const list = (value: string): ParameterValue => ({
    type: 'LIST[PATH]',
    value,
    dataFlow: 'IN',
    objectType: 'FILE',
  });
  const { transfers, staged, fault } = of(STAGE, MAPPING, {
    Scenes: list('["/mnt/shows/a/x.ma", "", "/mnt/shows/b/x.ma"]'),
  });
  t.equal(fault, null);
  const common = { objectType: 'FILE', flow: 'IN', root: '/Volumes/shows', directory: '/w/s' };
  t.strictSame(transfers, [
    {
      parameter: 'Scenes[0]',
      ...common,
      below: ['a', 'x.ma'],
      localBelow: ['staged', 'Scenes', '0', 'x.ma'],
      local: '/w/s/staged/Scenes/0/x.ma',
    },
    {
      parameter: 'Scenes[2]',
      ...common,
      below: ['b', 'x.ma'],
      localBelow: ['staged', 'Scenes', '2', 'x.ma'],
      local: '/w/s/staged/Scenes/2/x.ma',
    },
  ]);
  t.strictSame(
    [...staged],
    [
      ['Scenes[0]', '/w/s/staged/Scenes/0/x.ma'],
      ['Scenes[2]', '/w/s/staged/Scenes/2/x.ma'],
    ],
  );
  t.equal(
    of(STAGE, { ...MAPPING, roots: ['/Volumes/shows'] }, { Scenes: list('["/mnt/shows/a", "/etc/shadow"]') })
      .fault,
    `stage_locally: parameter Scenes[1]: "/etc/shadow" is in no storage location of this worker's place`,
  );
  t.end();
});

void test('nothing outside the storage locations is staged', (t) => {
  const roots = ['/Volumes/shows', 's3://plates/p'];
  const cases: readonly (readonly [value: string, fault: string])[] = [
    ['/etc/shadow', `"/etc/shadow" is in no storage location of this worker's place`],
    ['/Volumes/showstopper/a', `"/Volumes/showstopper/a" is in no storage location of this worker's place`],
    ['/mnt/shows/../../etc', '"/Volumes/shows/../../etc" must not climb with ".."'],
    ['s3://plates/other', `"s3://plates/other" is in no storage location of this worker's place`],
    ['s3://plates/p/../q', '"s3://plates/p/../q" must not climb with ".."'],
    ['s3://others/p/a', `"s3://others/p/a" is in no storage location of this worker's place`],
    ['Volumes/shows/a', `"Volumes/shows/a" is in no storage location of this worker's place`],
    [
      'http://169.254.169.254/x',
      `"http://169.254.169.254/x" is in no storage location of this worker's place`,
    ],
    ['/mnt/shows/a\0b', '"/Volumes/shows/a\\u0000b" holds control characters'],
  ];
  for (const [value, fault] of cases) {
    const delivered = of(STAGE, { ...MAPPING, roots }, { P: path(value) });
    t.equal(delivered.fault, `stage_locally: parameter P: ${fault}`);
    t.strictSame(delivered.transfers, []);
  }
  t.end();
});

void test('an unknown delivery of a newer service is an error, and nothing is delivered', (t) => {
  const fault = 'pathDelivery: this worker cannot resolve "{{Rule.Priority}}"';
  t.strictSame(
    changes(
      of([
        { type: 'swap_in_place' },
        { type: 'command_flags', args: ['{{Rule.Priority}}'], position: 'END' },
      ]),
    ),
    { ...NOTHING, fault },
  );
  t.strictSame(changes(of([{ type: 'environment', variable: 'MAP', entry: '{{Rule.Priority}}' }])), {
    ...NOTHING,
    fault,
  });
  t.end();
});

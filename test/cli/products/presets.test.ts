import { test, type Test } from 'tap';
import { answeringService, type Answer, type Request } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';
import { runOnTerminal } from '../run-on-terminal.ts';

const PRESET = {
  name: 'maya/render',
  title: 'Maya\u001b[31m',
  description: 'Renders a scene.',
  category: '3D',
  version: '1.1.0',
  installed: true,
  installed_version: '1.0.0',
  update_available: true,
  usage_pools: ['maya', 'arnold'],
  tags: ['maya'],
};
const OTHER = {
  ...PRESET,
  name: 'ffmpeg/encode',
  title: 'Encode',
  category: 'Video',
  installed: false,
  installed_version: null,
  update_available: false,
  usage_pools: [],
};
const NAMELESS = { ...OTHER, name: '$(touch it)' };
const PARAMETER = {
  name: 'Scene',
  type: 'PATH',
  description: 'The scene.',
  default: null,
  required: true,
  allowed_values: null,
  min_value: null,
  max_value: null,
  min_length: null,
  max_length: null,
};
const template = (command: string): string => `specificationVersion: jobtemplate-2023-09\n# ${command}\n`;
const DETAIL = {
  ...PRESET,
  readme: 'Readme\u001b]0;title\u0007.',
  template: template('new'),
  format: 'yaml',
  parameters: [PARAMETER],
};
const PRODUCT = { ...DETAIL, version: '1.0.0', template: template('old'), source: 'installed' };
const POOL = { id: 'p', name: 'Maya', max_concurrent: 3, in_use: 0, available: 3 };

const startService = async (t: Test, more: Readonly<Record<string, readonly Answer[]>> = {}) => {
  const service = await answeringService({
    'GET /api/v1/presets': [{ body: [OTHER, PRESET, NAMELESS] }],
    'GET /api/v1/presets/maya%2Frender': [{ body: DETAIL }],
    'GET /api/v1/products/maya%2Frender': [{ body: PRODUCT }],
    'GET /api/v1/usage-pools': [{ body: [POOL] }],
    'POST /api/v1/presets/maya%2Frender/install': [{ status: 201, body: PRODUCT }],
    'POST /api/v1/presets/maya%2Frender/update': [{ body: PRODUCT }],
    'POST /api/v1/usage-pools': [{ status: 201, body: { ...POOL, name: 'arnold', max_concurrent: 4 } }],
    ...more,
  });
  t.teardown(() => service.close());
  const args = (...given: readonly string[]) => ['presets', ...given, '--url', service.url];
  return { service, args };
};

const changesIn = (requests: readonly Request[]): readonly string[] =>
  requests.flatMap(({ method, path, body }) => (method === 'GET' ? [] : [`${method} ${path} ${body}`]));

test('presets are filtered by category and words, and names that a shell would evaluate are left out', async (t) => {
  const { args } = await startService(t);
  const names = async (...given: readonly string[]): Promise<string> =>
    (await runCallsheet(args('list', '--names', ...given))).out;
  t.equal(await names(), 'ffmpeg/encode\nmaya/render\n');
  t.equal(await names('--category', '3d'), 'maya/render\n');
  t.equal(await names('--search', 'render SCENE maya'), 'maya/render\n');
  t.equal(await names('--search', 'encode'), 'ffmpeg/encode\n');
  t.equal(await names('--search', 'encode maya'), '');
  t.equal(await names('--installed'), 'maya/render\n');
  const { out } = await runCallsheet(args());
  t.match(out, /^NAME +TITLE +CATEGORY +VERSION +INSTALLED +UPDATE$/m);
  t.match(out, /^maya\/render +\S+ +3D +1\.1\.0 +1\.0\.0 +yes$/m);
  t.notMatch(out, '\u001b');
  t.match(await runCallsheet(args('uninstall', 'x')), { code: 2 });
});

test('show names the usage pools that do not exist, and passes no escape sequence', async (t) => {
  const { args } = await startService(t);
  const { out, code } = await runCallsheet(args('show', 'maya/render'));
  t.equal(code, 0);
  t.match(out, /^usage pools +maya, arnold \(does not exist\)$/m);
  t.match(out, /^worker tags +maya$/m);
  t.match(out, /^installed +1\.0\.0; an update is available$/m);
  t.match(out, /^Scene +PATH +\(required\) +The scene\.$/m);
  t.match(out, /^Readme/m);
  t.notMatch(out, '\u001b');
  t.match(await runCallsheet(args('show', 'none')), { code: 4 });
});

test('install creates missing usage pools with --create-pools, and else names the command', async (t) => {
  const { service, args } = await startService(t);
  t.match(await runCallsheet(args('install', 'maya/render')), {
    code: 0,
    out: 'maya/render 1.0.0 installed\n',
    err: /^usage pool arnold does not exist: .*callsheet pools create arnold SLOTS\)\n$/,
  });
  t.same(changesIn(service.requests), ['POST /api/v1/presets/maya%2Frender/install ']);
  t.match(await runCallsheet(args('install', 'maya/render', '--create-pools', '4')), {
    code: 0,
    err: 'usage pool arnold created with 4 slots\n',
  });
  t.match(changesIn(service.requests).at(-1), '"name":"arnold","max_concurrent":4');
  const before = service.requests.length;
  for (const slots of ['0', '-1', 'x'])
    t.match(await runCallsheet(args('install', 'maya/render', '--create-pools', slots)), { code: 2 });
  t.equal(service.requests.length, before);
  t.match(await runCallsheet(args('install', 'maya/render', 'none')), { code: 4 });
  t.equal(changesIn(service.requests).length, 3, 'an unknown name prevents all installations');
});

test('install asks a user for the slots of missing usage pools', async (t) => {
  const { service, args } = await startService(t);
  const question = 'Number of slots';
  const asked = await runOnTerminal(args('install', 'maya/render'), [
    [question, 'many'],
    [question, '4'],
  ]);
  t.equal(asked.code, 0);
  t.match(asked.out, 'usage pool arnold created with 4 slots');
  t.equal(changesIn(service.requests).length, 2);
  const declined = await runOnTerminal(args('install', 'maya/render'), [[question, '']]);
  t.match(declined.out, 'callsheet pools create arnold SLOTS');
  t.equal(changesIn(service.requests).length, 3);
});

test('update shows the difference and updates after y, with --yes, or in a script', async (t) => {
  const { service, args } = await startService(t);
  const question = 'Enter y to update';
  const declined = await runOnTerminal(args('update'), [[question, 'n']]);
  t.match(declined.out, 'maya/render 1.0.0 -> 1.1.0');
  t.match(declined.out, 'maya/render skipped');
  t.match(await runCallsheet(args('update', '--dry-run')), {
    code: 0,
    out: /\n-version: 1\.0\.0\n\+version: 1\.1\.0\n(.*\n)*-# old\n\+# new\n(.*\n)*maya\/render would be updated\n$/,
  });
  t.same(changesIn(service.requests), []);
  const accepted = await runOnTerminal(args('update', 'maya/render'), [
    [question, 'y'],
    ['Number of slots', ''],
  ]);
  t.match(accepted.out, 'maya/render updated');
  t.match(await runOnTerminal(args('update', '--yes'), [['Number of slots', '']]), {
    code: 0,
    out: /maya\/render updated/,
  });
  const { code, out } = await runCallsheet(args('update', '--json'));
  t.match(
    [code, JSON.parse(out)],
    [0, [{ name: 'maya/render', from: '1.0.0', to: '1.1.0', result: 'updated' }]],
  );
  t.equal(changesIn(service.requests).length, 3);
});

test('update refuses what is not installed, and says when nothing is to be done', async (t) => {
  const { args } = await startService(t, {
    'GET /api/v1/presets': [{ body: [OTHER] }],
    'GET /api/v1/presets/ffmpeg%2Fencode': [{ body: { ...DETAIL, ...OTHER } }],
    'GET /api/v1/products/maya%2Frender': [{ body: DETAIL }],
  });
  t.match(await runCallsheet(args('update')), { code: 0, out: 'All installed presets are up to date.\n' });
  t.match(await runCallsheet(args('update', 'maya/render')), {
    code: 0,
    out: 'maya/render 1.1.0 is up to date\n',
  });
  t.match(await runCallsheet(args('update', 'ffmpeg/encode')), { code: 5, err: /is not installed/ });
  t.match(await runCallsheet(args('update', 'none')), { code: 4 });
});

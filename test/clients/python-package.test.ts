import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { readJobBundle } from '../../cli/bundles/read-bundle.ts';
import { CommandError } from '../../cli/terminal/exit-codes.ts';
import { sharedFolder } from '../spec/shared-folder.ts';
import { PYTHON_CLIENT, findPythons, runPython, unitTests } from './run-python.ts';

const PYTHON = 'python3';

test('the Python client reads YAML, bundles, its configuration and frames', async (t) => {
  for (const { program, version } of findPythons(['3.9'])) {
    const { code, output } = await runPython(unitTests(join(PYTHON_CLIENT, 'tests')), {
      cwd: t.testdir({}),
      program,
    });
    t.equal(code, 0, `${version}: ${output}`);
  }
});

const mypy = spawnSync('mypy', ['--version']).status === 0 ? false : 'mypy is not installed';

test('the types of the Python client are complete', { skip: mypy }, (t) => {
  const cache = t.testdir({});
  const { status, stdout } = spawnSync('mypy', ['--strict', '--cache-dir', cache, 'callsheet'], {
    cwd: join(PYTHON_CLIENT, 'src'),
    encoding: 'utf8',
  });
  t.equal(status, 0, stdout);
  t.end();
});

test('a wheel is built and installed without a network, twice with the same bytes', async (t) => {
  const folder = t.testdir({});
  const build = (name: string): string => {
    const to = join(folder, name);
    return execFileSync(PYTHON, [join(PYTHON_CLIENT, 'wheel_builder.py'), to], { encoding: 'utf8' }).trim();
  };
  const wheel = build('first');
  t.strictSame(readFileSync(wheel), readFileSync(build('second')));
  const installed = join(folder, 'installed');
  const target = ['-m', 'pip', 'install', '--no-index', '--no-deps', '--quiet', '--target', installed, wheel];
  const { status, stderr } = spawnSync(PYTHON, target, { encoding: 'utf8' });
  t.equal(status, 0, stderr);
  const script = 'import callsheet, callsheet.models; print(callsheet.__version__, callsheet.__file__)';
  const { code, output } = await runPython(['-c', script], {
    cwd: folder,
    environment: { PYTHONPATH: installed },
  });
  t.strictSame([code, output], [0, `0.1.0 ${join(installed, 'callsheet/__init__.py')}\n`]);
});

/** Prints what Python reads of each bundle that is listed on standard input. */
const READ_BUNDLES = `
import json, sys
from callsheet import InvalidBundle, read_bundle

def read(folder):
    try:
        bundle = read_bundle(folder, allow_missing_assets=True)
        return [dict(sorted(bundle.parameters.items())), dict(sorted(bundle.settings.items()))]
    except InvalidBundle:
        return None

print(json.dumps([read(folder) for folder in json.load(sys.stdin)]))
`;

const shared = sharedFolder('templates');

test(
  'bundles of existing submitters are read as the command reads them',
  { skip: shared === null },
  async (t) => {
    const root = shared ?? '';
    const folders = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\/template\.(yaml|json)$/.test(path))
      .map((path) => join(root, dirname(path)));
    t.ok(folders.length > 50, `${folders.length} bundles`);
    const read = await Promise.all(
      folders.map(async (folder) => {
        try {
          const bundle = await readJobBundle(folder, true, { errorColors: false });
          const { failureLimit: failure_limit, maxAttempts: max_attempts, paused, priority } = bundle;
          return [
            Object.fromEntries([...bundle.parameters].sort(([a], [b]) => (a < b ? -1 : 1))),
            { failure_limit, max_attempts, paused, priority },
          ];
        } catch (error) {
          if (error instanceof CommandError) return null;
          throw error;
        }
      }),
    );
    const { stdout } = spawnSync(PYTHON, ['-c', READ_BUNDLES], {
      input: JSON.stringify(folders),
      encoding: 'utf8',
      env: { ...process.env, PYTHONPATH: join(PYTHON_CLIENT, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
    });
    t.strictSame(JSON.parse(stdout), JSON.parse(JSON.stringify(read)));
  },
);

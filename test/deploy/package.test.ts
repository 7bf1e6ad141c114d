import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import tap, { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

tap.setTimeout(120_000);

const ROOT = fileURLToPath(packageRoot);
const read = (path: string): string => readFileSync(new URL(path, packageRoot), 'utf8');

interface Packed {
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

interface Manifest {
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Files that only an installation has, because `npm pack` makes them (scripts/pack.js). */
const BY_PREPACK = /^(dist\/engine\/|npm-shrinkwrap\.json$)/;
const FROM = /^(?:import|export)\b[^;'"=]*\bfrom ["']([^"']+)["'];$/gm;
const BARE = /^import ["']([^"']+)["'];$/gm;
const DYNAMIC = /(?<!\{)\bimport\(["']([^"']+)["']\)/g;
const COMMENT_LINE = /^\s*(?:\*|\/\*|\/\/).*$/gm;

/** Returns what the modules of a file import, statically or with a constant name. */
const importsOf = (text: string): string[] => {
  const code = text.replaceAll(COMMENT_LINE, '');
  return [FROM, BARE, DYNAMIC].flatMap((pattern) => [...code.matchAll(pattern)].map(([, name = '']) => name));
};

test('the package has what its programs need, and nothing that only a checkout needs', async (t) => {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'],
    { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 },
  );
  const [packed] = JSON.parse(stdout) as readonly Packed[];
  const paths = (packed?.files ?? []).map(({ path }) => path).filter((path) => !BY_PREPACK.test(path));
  const has = new Set(paths);
  const manifest = JSON.parse(read('package.json')) as Manifest;
  const targets = Object.values(manifest.exports).flatMap((each) =>
    typeof each === 'string' ? [each] : Object.values(each),
  );
  for (const path of [...Object.values(manifest.bin), ...targets]) t.ok(has.has(posix.normalize(path)), path);
  for (const path of [
    'LICENSE',
    'NOTICE',
    'README.md',
    'THIRD-PARTY-NOTICES',
    'sbom.cdx.json',
    'dist/openjd-schema.json',
    'dist/program/shard-thread.js',
    'dist/web-app/index.html',
    'http/openapi/openapi.yaml',
    'src/adapters/process/launcher.pl',
    'src/adapters/process/supervisor.sh',
  ])
    t.ok(has.has(path), path);
  t.same(
    paths.filter((path) =>
      /^dist\/(test|bench|scripts|web)\/|^(test|bench|scripts|web)\/|\.tsx?$/.test(
        path.replace(/\.d\.ts$/, ''),
      ),
    ),
    [],
    'no tests, benches, scripts and sources',
  );
  t.ok(packed !== undefined && packed.files.length < 3_000, 'no packages and caches');

  const missing: string[] = [];
  const programs = paths.filter((path) => /^(bin|dist\/program)\/.*\.js$/.test(path));
  const exported = targets.map((path) => posix.normalize(path)).filter((path) => path.endsWith('.js'));
  const reached = new Set([...programs, ...exported]);
  for (const path of reached) {
    for (const name of importsOf(read(path))) {
      if (name.startsWith('.')) {
        const target = posix.join(posix.dirname(path), name);
        if (has.has(target)) reached.add(target);
        else missing.push(`${path}: ${target}`);
      } else if (!name.startsWith('node:')) {
        const dependency = name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/');
        if (!(dependency in manifest.dependencies)) missing.push(`${path}: ${dependency}`);
      }
    }
  }
  t.ok(reached.size > programs.length + exported.length, 'imports are found');
  t.same(missing, [], 'every import is in the package or a production dependency');
});

test('the bill of materials has every production dependency and the binaries of the engine', async (t) => {
  const { dependencies } = JSON.parse(read('package.json')) as Manifest;
  const { components } = JSON.parse(read('sbom.cdx.json')) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  const notices = read('THIRD-PARTY-NOTICES');
  for (const [name, version] of Object.entries(dependencies)) {
    t.ok(
      components.some((each) => each.name === name && each.version === version),
      `${name} ${version} in sbom.cdx.json`,
    );
    t.ok(notices.includes(`\n${name} ${version} (`), `${name} ${version} in THIRD-PARTY-NOTICES`);
  }
  for (const name of ['react', 'uWebSockets.js'])
    t.ok(
      components.some((each) => each.name === name),
      name,
    );
  t.notOk(
    components.some(({ name }) => name === 'typescript'),
    'no development dependency',
  );
});

import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  chmodSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** Debian's packages of the servers, with a program of each. An existing program is not installed. */
const SERVERS: Readonly<Record<string, string>> = {
  'redis-server': 'redis-server',
  postgresql: 'initdb',
  beanstalkd: 'beanstalkd',
  munge: 'munged',
  slurmctld: 'slurmctld',
  slurmd: 'slurmd',
  'slurm-client': 'sbatch',
};

/** The same for the C compiler. */
const COMPILER: Readonly<Record<string, string>> = { gcc: 'cc', 'libc6-dev': 'cc' };

/** A package that installs a service starts it, unless this forbids it (Debian policy, 9.3.3). */
const POLICY = '/usr/sbin/policy-rc.d';

/** Peers that are installed on this machine. */
export interface Installation {
  /** The folder with the npm packages of the peers. */
  readonly packages: string;
  /** Returns the path of a program. Throws `Missing` if it is not installed. */
  program(name: string): string;
  /** Returns the version of an npm package of the peers. Throws `Missing` if it is not installed. */
  packageVersion(name: string): string;
  /** Returns the version output of a program. Throws `Missing` if it is not installed. */
  programVersion(name: string, flag?: string): string;
}

/**
 * Returns the installed peers. With `install`, missing ones are installed first: npm packages into `.bench-peers`, outside the dependencies of
 * Callsheet, with the lock of bench/peers/packages; servers by apt, which needs root, without starting a service; a compiler when it is needed.
 */
export function installation(
  install: boolean,
  needsCompiler: boolean,
  say: (line: string) => void,
): Installation {
  const packages = fileURLToPath(new URL('.bench-peers/', packageRoot));
  if (install) {
    installPackages(packages, say);
    installSystemPackages(needsCompiler ? { ...SERVERS, ...COMPILER } : SERVERS, say);
  }
  return {
    packages,
    program,
    packageVersion: (name) => {
      const file = join(packages, 'node_modules', name, 'package.json');
      if (!existsSync(file)) throw new Missing(`the npm package ${name} is not installed (--install)`);
      return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
    },
    programVersion: (name, flag = '--version') => {
      const { stdout, stderr } = spawnSync(program(name), [flag], { encoding: 'utf8' });
      return versionIn(stdout + stderr);
    },
  };
}

/** The first text in a program's output that looks like a version: 7.0.15, 15.18, 1.12+2. */
export function versionIn(text: string): string {
  return /\d+(\.\d+)+([+-][\w.]+)?/.exec(text)?.[0] ?? text.trim();
}

function installPackages(folder: string, say: (line: string) => void): void {
  const source = new URL('bench/peers/packages/', packageRoot);
  const lock = readFileSync(new URL('package-lock.json', source), 'utf8');
  const installed = join(folder, 'package-lock.json');
  if (
    existsSync(join(folder, 'node_modules')) &&
    existsSync(installed) &&
    readFileSync(installed, 'utf8') === lock
  )
    return;
  say(`npm packages of the peers are installed into ${folder}: see bench/peers/packages/package.json`);
  mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(new URL(file, source), join(folder, file));
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (npm.status !== 0) say('npm could not install them: the peers made of them are left out');
}

function installSystemPackages(wanted: Readonly<Record<string, string>>, say: (line: string) => void): void {
  const missing = Object.entries(wanted).flatMap(([name, program]) =>
    findProgram(program) === null ? [name] : [],
  );
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) {
    say(`not installed, because that needs root: apt-get install ${missing.join(' ')}`);
    return;
  }
  if (!existsSync('/usr/bin/apt-get')) {
    say(`not installed, because there is no apt-get here: ${missing.join(' ')}`);
    return;
  }
  say(`apt-get installs, without starting services: ${missing.join(' ')}`);
  const hasPolicy = existsSync(POLICY);
  if (!hasPolicy) {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n');
    chmodSync(POLICY, 0o755);
  }
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'] });
    // One by one: a package that this distribution does not have must not prevent the others.
    for (const name of missing) {
      const apt = spawnSync(
        'apt-get',
        ['install', '-y', '-qq', '--no-install-recommends', '--no-upgrade', name],
        {
          stdio: ['ignore', 'ignore', 'inherit'],
          env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        },
      );
      if (apt.status !== 0) say(`apt-get could not install ${name}`);
    }
  } finally {
    if (!hasPolicy) rmSync(POLICY);
  }
}

function program(name: string): string {
  const path = findProgram(name);
  if (path === null) throw new Missing(`the program ${name} is not installed (--install, as root)`);
  return path;
}

function findProgram(name: string): string | null {
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/sbin',
    ...postgresFolders(),
  ];
  for (const folder of folders) {
    const path = join(folder, name);
    if (folder !== '' && existsSync(path)) return path;
  }
  return null;
}

/**
 * Debian keeps the programs of a PostgreSQL server outside PATH, in one folder per version. Returns the newest first.
 */
function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(root, version, 'bin'));
}

/** A part of a peer is not installed. The message names it. */
export class Missing extends Error {}

/**
 * A nats-server that is newer than that of the machine's Debian release, for development and CI (docs/testing.md#nats-server).
 * Its package comes from Debian's newer suites, by a configuration of apt of its own: nothing is installed on the machine.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, works } from './run.js';

/** The oldest version that a cluster needs. */
const WANTED = [2, 15];
/** The package, and the SHA-256 of its file for each architecture of Debian. */
const PACKAGE = {
  version: '2.15.1-1',
  checksums: {
    amd64: '31ef4ceaa84e8248d449e508472e3770c17c3695cb5cb0ee96e03912724ea884',
    arm64: '68923b614b6b5594bbd63ffdce7258c2155ec448fb4cb7efd099bf9273eca128',
  },
};
const SUITES = ['unstable', 'testing'];
const SOURCE_LIST = '/etc/apt/sources.list';
const SOURCE_PARTS = '/etc/apt/sources.list.d';

const say = (text) => console.log(`bootstrap: ${text}`);

/** Returns whether the output of `nats-server --version` names a version that is new enough. */
function isNewEnough(text) {
  const [, major = '0', minor = '0'] = /v(\d+)\.(\d+)\./.exec(text) ?? [];
  const [wantedMajor, wantedMinor] = WANTED;
  return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
}

/** An archive of Debian itself, not one of security updates or of another project. */
const isDebian = (uri) => /\/debian\/?$/.test(uri);

/**
 * Returns a source of another suite, with address and key of the machine's first source of Debian; null if it has none.
 *
 * @param {readonly { name: string, text: string }[]} files - Sources of apt in both formats.
 * @param {string} suite
 */
export function sourceOf(files, suite) {
  for (const { name, text } of files) {
    const source = name.endsWith('.sources') ? fromStanzas(text) : fromLines(text);
    if (source !== null) return stanza(source, suite);
  }
  return null;
}

const stanza = ({ uri, signedBy }, suite) =>
  [
    'Types: deb',
    `URIs: ${uri}`,
    `Suites: ${suite}`,
    'Components: main',
    ...(signedBy === '' ? [] : [`Signed-By: ${signedBy}`]),
    '',
  ].join('\n');

/** The format of `.sources` files. A key may be a text of several lines that follow. */
function fromStanzas(text) {
  for (const part of text.replace(/^#.*\n?/gm, '').split(/\n\s*\n/)) {
    const field = (name) => new RegExp(`^${name}:[ \t]*(.*(?:\n[ \t].*)*)`, 'im').exec(part)?.[1] ?? '';
    const uri = field('URIs').trim().split(/\s+/).find(isDebian);
    const isUsed = field('Enabled').trim() !== 'no' && /\bdeb(?!-)/.test(field('Types'));
    if (uri !== undefined && isUsed) return { uri, signedBy: field('Signed-By').trimEnd() };
  }
  return null;
}

/** The format of one line for each source: `deb [options] uri suite components`. */
function fromLines(text) {
  for (const line of text.split('\n')) {
    const [, options = '', uri = ''] = /^deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s/.exec(line.trim()) ?? [];
    if (isDebian(uri)) return { uri, signedBy: /signed-by=(\S+)/i.exec(options)?.[1] ?? '' };
  }
  return null;
}

function machineSources() {
  const parts = existsSync(SOURCE_PARTS) ? readdirSync(SOURCE_PARTS).sort() : [];
  return [SOURCE_LIST, ...parts.map((name) => join(SOURCE_PARTS, name))]
    .filter((path) => /\.(?:list|sources)$/.test(path) && existsSync(path))
    .map((name) => ({ name, text: readFileSync(name, 'utf8') }));
}

/** Returns the folder of the program in the user's cache. The name has the checksum, so that another package is another folder. */
function cacheFolder(checksum, env) {
  const cache = env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'callsheet', `nats-server-${PACKAGE.version}-${checksum.slice(0, 12)}`);
}

/** Runs a command. Returns its output; throws with it if the command fails. */
async function output(command, args, options) {
  const { status, output: text } = await capture(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.at(-1)}: ${text.trim().split('\n').at(-1) ?? ''}`);
  return text;
}

/** Downloads the package of a source into a temporary folder, checks it, and unpacks it into the cache. */
async function download(source, checksum, folder, env) {
  const work = mkdtempSync(join(tmpdir(), 'callsheet-apt-'));
  try {
    for (const name of ['parts', 'lists/partial', 'cache/archives/partial', 'package'])
      mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, 'parts/newer.sources'), source);
    const apt = Object.entries({
      'Dir::Etc::SourceList': '/dev/null',
      'Dir::Etc::SourceParts': join(work, 'parts'),
      'Dir::Etc::PreferencesParts': '/dev/null',
      'Dir::State::Lists': join(work, 'lists'),
      'Dir::Cache': join(work, 'cache'),
      'Acquire::Languages': 'none',
      'APT::Sandbox::User': '',
    }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const options = { env, cwd: join(work, 'package') };
    await output('apt-get', [...apt, 'update'], options);
    await output('apt-get', [...apt, 'download', `nats-server=${PACKAGE.version}`], options);
    const [file] = readdirSync(join(work, 'package'));
    if (file === undefined) throw new Error('apt-get has downloaded no file');
    const path = join(work, 'package', file);
    const actual = createHash('sha256').update(readFileSync(path)).digest('hex');
    if (actual !== checksum) throw new Error(`${file} has the SHA-256 ${actual}, not ${checksum}`);
    mkdirSync(join(folder, '..'), { recursive: true });
    const unpacked = mkdtempSync(`${folder}.`);
    await output('dpkg-deb', ['-x', path, unpacked], options);
    // Another process may have been faster.
    if (existsSync(folder)) rmSync(unpacked, { recursive: true });
    else renameSync(unpacked, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns null, or why no suite has the package. */
async function downloadFromSuites(checksum, folder, env) {
  let failure = 'the machine has no source of Debian';
  for (const suite of SUITES) {
    const source = sourceOf(machineSources(), suite);
    if (source === null) return failure;
    say(`nats-server ${PACKAGE.version} is downloaded from Debian ${suite} into ${folder}`);
    try {
      await download(source, checksum, folder, env);
      return null;
    } catch (error) {
      failure = error.message;
    }
  }
  return failure;
}

/**
 * Returns the folder of a nats-server that is new enough for a cluster. Null if the PATH has one, or if none can be had: the reason is
 * printed, and the tests of clusters are skipped.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | null>}
 */
export async function getNewerNatsServer(env) {
  const installed = await capture('nats-server', ['--version'], { env }).catch(() => ({ output: '' }));
  if (isNewEnough(installed.output)) return null;
  const without = (reason) => {
    say(`nats-server ${PACKAGE.version} is not available (${reason}): tests of clusters are skipped`);
    return null;
  };
  const tools = [
    ['apt-get', ['--version']],
    ['dpkg-deb', ['--version']],
    ['dpkg', ['--version']],
  ];
  if (!tools.every(([name, args]) => works(name, args)))
    return without('it is installed from Debian packages');
  const architecture = (await output('dpkg', ['--print-architecture'], { env })).trim();
  const checksum = PACKAGE.checksums[architecture];
  if (checksum === undefined) return without(`no checksum for ${architecture}`);
  const folder = cacheFolder(checksum, env);
  const programs = join(folder, 'usr/sbin');
  if (!existsSync(join(programs, 'nats-server'))) {
    const failure = await downloadFromSuites(checksum, folder, env);
    if (failure !== null) return without(failure);
  }
  return programs;
}

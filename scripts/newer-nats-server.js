/**
 * Sets up a nats-server that is newer than Debian's stable one: it flushes each message once before it acknowledges it, and
 * gets security fixes. Plain JavaScript without dependencies, because it runs before packages are installed.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './run.js';

/** The oldest release that counts as newer. Releases before it flush each message twice. */
const WANTED = { major: 2, minor: 15 };

/** Packages of Debian's unstable suite, by architecture of Node. Their program needs only libc6 2.34, which Debian 12 has. */
const PACKAGES = {
  x64: {
    path: 'pool/main/n/nats-server/nats-server_2.15.1-1_amd64.deb',
    sha256: '31ef4ceaa84e8248d449e508472e3770c17c3695cb5cb0ee96e03912724ea884',
  },
  arm64: {
    path: 'pool/main/n/nats-server/nats-server_2.15.1-1_arm64.deb',
    sha256: '68923b614b6b5594bbd63ffdce7258c2155ec448fb4cb7efd099bf9273eca128',
  },
};

/** Where the service looks for nats-server besides the PATH (src/adapters/nats/server-binary.ts). */
const FOLDER = '/usr/local/lib/callsheet';

const DOWNLOADER = '/usr/lib/apt/apt-helper';

/** Reports whether the program is of a release that is wanted. */
function isNewer(program, env) {
  const { stdout } = spawnSync(program, ['--version'], { env, encoding: 'utf8' });
  const match = /v(\d+)\.(\d+)\./.exec(stdout ?? '');
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > WANTED.major || (major === WANTED.major && minor >= WANTED.minor);
}

/** Returns the address of the archive from which this machine installs packages of Debian; null without one. */
function debianArchive() {
  const { stdout } = spawnSync(
    'apt-get',
    ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'],
    {
      encoding: 'utf8',
    },
  );
  return (stdout ?? '').split('\n').find((uri) => uri.endsWith('/debian/')) ?? null;
}

/** Downloads and checks the package, and puts its program into the folder. Returns why it could not, or null. */
async function installPackage(env) {
  const wanted = PACKAGES[process.arch];
  if (wanted === undefined) return `there is no known package for ${process.arch}`;
  if (process.getuid?.() !== 0 || !existsSync(DOWNLOADER)) return 'only root can install it, with apt';
  const archive = debianArchive();
  if (archive === null) return "the sources of apt have no archive of Debian's";
  const work = mkdtempSync(join(tmpdir(), 'callsheet-nats-server-'));
  try {
    const file = join(work, 'nats-server.deb');
    const request = ['download-file', `${archive}${wanted.path}`, file, `SHA256:${wanted.sha256}`];
    const downloaded = await capture(DOWNLOADER, request, { env });
    if (downloaded.status !== 0) return `the package cannot be downloaded: ${lastLine(downloaded.output)}`;
    const unpacked = await capture('dpkg-deb', ['-x', file, work], { env });
    if (unpacked.status !== 0) return `the package cannot be unpacked: ${lastLine(unpacked.output)}`;
    const program = join(FOLDER, 'nats-server');
    mkdirSync(FOLDER, { recursive: true });
    copyFileSync(join(work, 'usr/sbin/nats-server'), `${program}.new`);
    renameSync(`${program}.new`, program);
    return isNewer(program, env) ? null : `${program} does not run`;
  } catch (error) {
    return `the program cannot be written: ${error.message}`;
  } finally {
    rmSync(work, { recursive: true });
  }
}

const lastLine = (output) => output.trim().split('\n').at(-1);

/**
 * Returns the environment in which `nats-server` is a newer one, and installs it if there is none and this machine permits
 * that: as root, with apt, from the archive that its own sources name. Returns null where there is none.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {(text: string) => void} say receives what is done
 * @returns {Promise<NodeJS.ProcessEnv | null>}
 */
export async function withNewerNatsServer(env, say) {
  if (isNewer('nats-server', env)) return env;
  const inFolder = { ...env, PATH: `${FOLDER}:${env.PATH ?? ''}` };
  if (isNewer('nats-server', inFolder)) return inFolder;
  say(
    `nats-server ${WANTED.major}.${WANTED.minor} or newer is missing: downloading the package of Debian unstable`,
  );
  const problem = await installPackage(env);
  if (problem === null) return inFolder;
  say(`${problem}; an older nats-server is used`);
  return null;
}

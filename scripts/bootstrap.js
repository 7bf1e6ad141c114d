/**
 * Prepares a fresh clone: checks Node, installs packages, installs nats-server, builds. Does only what is missing,
 * prints what it does, and can be repeated. Plain JavaScript without dependencies, because it runs before packages are
 * installed.
 */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.js';
import { withLock } from './lock.js';
import { withNewerNatsServer } from './newer-nats-server.js';
import { Stop, root, run, runMain, works } from './run.js';

const NODE_MIN = [20, 19];

/** Folders of servers of system packages; not on the PATH of ordinary users. */
const SYSTEM_PROGRAMS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

const say = (text) => console.log(`bootstrap: ${text}`);

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [majorMin, minorMin] = NODE_MIN;
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return;
  throw new Stop(`Callsheet needs Node ${NODE_MIN.join('.')} or newer; this is ${process.versions.node}.`);
}

/** Installs the packages of the lockfile if node_modules was not made from it. */
async function installPackages() {
  const modules = join(root, 'node_modules');
  const stamp = join(modules, '.callsheet-lock');
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(process.versions.modules)
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  if (lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink()) {
    say('node_modules is a link; it is used unchanged');
    return;
  }
  say('installing packages (npm ci)');
  const status = await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
  if (status !== 0) throw new Stop('The packages could not be installed: see above.');
  writeFileSync(stamp, hash);
}

/** Returns an environment that contains the folders in which system packages install `nats-server`. */
function withSystemPrograms(env) {
  const path = (env.PATH ?? '').split(delimiter);
  return {
    ...env,
    PATH: [...path, ...SYSTEM_PROGRAMS.filter((folder) => !path.includes(folder))].join(delimiter),
  };
}

/** Debian's packages start servers of their own, which the demo and the tests do not need. */
async function disableUnit(name) {
  if (!works('systemctl', ['--version'])) return;
  await run('systemctl', ['disable', `${name}.service`]);
  if (existsSync('/run/systemd/system')) await run('systemctl', ['stop', `${name}.service`]);
}

/** Arguments of apt-get. It waits if another one, for example that of the automatic upgrades, is installing packages. */
const APT_INSTALL = ['-o', 'DPkg::Lock::Timeout=600', 'install', '-y', '--no-install-recommends'];

/**
 * Installs a program with the packages of Debian unless it works. Returns whether it did. Throws where that cannot be done.
 * `isFixed`: the user has named the program, so that no other will do. `hint` ends the sentence that says what to do instead.
 * `answers` are for questions that the packages ask (debconf).
 */
async function installProgram(
  env,
  { name, program = name, versionFlag = '--version', packages = [name], hint, isFixed, answers = '' },
) {
  if (works(program, [versionFlag], env)) return false;
  const how = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  if (isFixed || process.getuid?.() !== 0 || !works('apt-get', ['--version'])) {
    throw new Stop(`${name} is missing (looked for ${program})${hint(how)}`);
  }
  say(`${name} is missing: ${how}`);
  const apt = { ...env, DEBIAN_FRONTEND: 'noninteractive' };
  const failed =
    (answers !== '' &&
      (await run('sh', ['-c', 'echo "$1" | debconf-set-selections', 'sh', answers])) !== 0) ||
    (await run('apt-get', ['update'], { env: apt })) !== 0 ||
    (await run('apt-get', [...APT_INSTALL, ...packages], { env: apt })) !== 0;
  if (failed || !works(program, [versionFlag], env)) {
    throw new Stop(`${name} could not be installed: see above.`);
  }
  return true;
}

/** Returns the environment in which programs find nats-server. */
async function getNatsServer(env) {
  if ((env.SVC_BUS_URL ?? '') !== '') {
    say('SVC_BUS_URL is set: the bus is an external server');
    return env;
  }
  const program = env.SVC_BUS_SERVER_PATH || 'nats-server';
  const newer = program === 'nats-server' ? await withNewerNatsServer(env, say) : null;
  if (newer !== null) return newer;
  const isInstalled = await installProgram(env, {
    name: 'nats-server',
    program,
    isFixed: program !== 'nats-server',
    hint: (how) =>
      `: on Debian or Ubuntu run "${how}" as root, elsewhere put a nats-server 2.9 or newer on the PATH, or set SVC_BUS_URL to a server with JetStream.`,
  });
  if (isInstalled) {
    say("the server starts its own nats-server: Debian's unit of that name is disabled");
    await disableUnit('nats-server');
  }
  return env;
}

/** The tests of the pages run in Debian's Chromium. */
const getChromium = (env) =>
  installProgram(env, {
    name: 'chromium',
    program: env.CHROMIUM_PATH || '/usr/bin/chromium',
    packages: ['chromium', 'fonts-dejavu-core'],
    isFixed: Boolean(env.CHROMIUM_PATH),
    hint: (how) =>
      `, which the tests of the pages need: on Debian run "${how}" as root, elsewhere set CHROMIUM_PATH to a Chromium.`,
  });

/** The tests of encrypted buses create certificates. */
const getOpenssl = (env) =>
  installProgram(env, {
    name: 'openssl',
    versionFlag: 'version',
    isFixed: false,
    hint: (how) => `, which the tests of encrypted buses need: on Debian run "${how}" as root.`,
  });

/** The tests of rules of the firewall need root, and are skipped without it. */
async function getNftables(env) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  await installProgram(env, {
    name: 'nftables',
    program: 'nft',
    isFixed: false,
    hint: (how) => `, which the tests of rules of the firewall need: on Debian run "${how}" as root.`,
  });
}

/** The tests of presets run their scripts. */
const getPython = (env) =>
  installProgram(env, {
    name: 'python3',
    isFixed: false,
    hint: (how) => `, which the tests of presets need: on Debian run "${how}" as root.`,
  });

/** The tests of directory logins start slapd. Without a configuration of its own, Debian's package starts no server. */
const getSlapd = (env) =>
  installProgram(env, {
    name: 'slapd',
    versionFlag: '-VV',
    packages: ['slapd', 'ldap-utils'],
    answers: 'slapd slapd/no_configuration boolean true',
    isFixed: false,
    hint: (how) => `, which the tests of directory logins need: on Debian run "${how}" as root.`,
  });

/** Tests of the nightly run check alerts and dashboards with a real Prometheus. */
async function getPrometheus(env) {
  const isInstalled = await installProgram(env, {
    name: 'prometheus',
    isFixed: false,
    hint: (how) => `, which the tests of alerts need: on Debian run "${how}" as root.`,
  });
  if (isInstalled) await disableUnit('prometheus');
}

/** Tests of the nightly run install the Debian package in a root of its own. */
async function getDebootstrap(env) {
  if (process.getuid?.() !== 0) return;
  await installProgram(env, {
    name: 'debootstrap',
    isFixed: false,
    hint: (how) => `, which the test of the Debian package needs: on Debian run "${how}" as root.`,
  });
}

/**
 * Installs programs that presets run.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly { name: string, versionFlag: string, packages: readonly string[] }[]} programs
 */
export function installPresetPrograms(env, programs) {
  return withLock(join(root, 'dist/.install-lock'), async () => {
    for (const program of programs) {
      const hint = (how) => `, which presets run: on Debian run "${how}" as root.`;
      await installProgram(env, { ...program, isFixed: false, hint });
    }
  });
}

/**
 * Installs what is missing, without a build.
 *
 * @param {{ bus?: boolean, tests?: boolean, nightly?: boolean }} [needs] bus: a nats-server is needed (default true); tests: the
 *   programs of the tests are; nightly: those that only the nightly run needs (both default to false)
 * @returns {Promise<NodeJS.ProcessEnv>} the environment for the programs that run next
 */
export function install({ bus = true, tests = false, nightly = false } = {}) {
  checkNode();
  return withLock(join(root, 'dist/.install-lock'), async () => {
    await installPackages();
    const system = withSystemPrograms(process.env);
    const env = bus ? await getNatsServer(system) : system;
    if (tests) {
      await getChromium(env);
      await getOpenssl(env);
      await getNftables(env);
      await getSlapd(env);
      await getPython(env);
    }
    if (nightly) {
      await getPrometheus(env);
      await getDebootstrap(env);
    }
    return env;
  });
}

/**
 * Prepares the repository: installs what is missing and builds.
 *
 * @param {{ bus?: boolean, tests?: boolean, nightly?: boolean }} [needs] as for `install`
 * @returns {Promise<NodeJS.ProcessEnv>} the environment for the programs that run next
 */
export async function bootstrap(needs) {
  const env = await install(needs);
  await build();
  return env;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    await bootstrap();
    say('ready');
    return 0;
  });
}

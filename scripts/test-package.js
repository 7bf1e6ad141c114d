/**
 * `npm run test:package`: packs the package, installs it in an empty folder with `npm install --global`, and runs a farm from there:
 * a server, a worker and a job. Prints the sizes. It needs the package registry or its cache, and nats-server.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bootstrap } from './bootstrap.js';
import { Stop, capture, root, runMain } from './run.js';

const JOB_SECONDS = 60;
const TEMPLATE = `specificationVersion: jobtemplate-2023-09
name: packed
steps:
  - name: Greet
    parameterSpace:
      taskParameterDefinitions: [{ name: N, type: INT, range: 1-3 }]
    script:
      actions: { onRun: { command: echo, args: ['hello from task {{Task.Param.N}}'] } }
`;

const say = (text) => console.log(`test:package: ${text}`);
const mib = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function npm(args, env) {
  const { status, output } = await capture('npm', args, { env });
  if (status !== 0) throw new Stop(`npm ${args.join(' ')} failed:\n${output}`);
  return output;
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Compiles a program that imports what the package exports. */
async function checkTypes(installed, folder) {
  const consumer = join(folder, 'consumer');
  mkdirSync(join(consumer, 'node_modules'), { recursive: true });
  symlinkSync(installed, join(consumer, 'node_modules/callsheet'));
  const program = join(consumer, 'program.mts');
  writeFileSync(
    program,
    "import * as api from 'callsheet/api';\nimport * as openjd from 'callsheet/openjd';\nexport const used: readonly object[] = [api, openjd];\n",
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, output } = await capture(process.execPath, [compiler, ...options, program]);
  if (status !== 0) throw new Stop(`The types of the package do not compile:\n${output}`);
}

/** Starts a daemon of the installed package. Resolves when it prints a line that matches. */
function start(command, args, env, log, pattern) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', openSync(log, 'a')] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let isStopping = false;
  const stop = async () => {
    isStopping = true;
    child.kill('SIGTERM');
    await ended;
  };
  const printed = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const match = pattern.exec(line);
      if (match !== null) resolve(match[0]);
    });
    void ended.then((code) => {
      if (!isStopping) reject(new Stop(`callsheet ${args[0]} ended with ${code}.`));
    });
  });
  return { stop, printed };
}

/** Runs a server, a worker and a job with an installed command. */
async function runFarm(command, folder, env) {
  const call = (...args) => {
    const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Stop(`callsheet ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  };
  const [port, bus] = [await freePort(), await freePort()];
  const log = join(folder, 'daemons.log');
  const server = start(
    command,
    [
      'server',
      '--stop-bus',
      `--http-addr=127.0.0.1:${port}`,
      `--bus-addr=127.0.0.1:${bus}`,
      `--data-dir=${join(folder, 'data')}`,
      '--log-format=text',
    ],
    env,
    log,
    /http:\/\/\S+/,
  );
  const daemons = [server];
  try {
    const url = await server.printed;
    env.SVC_URL = url;
    call('farms', 'create', 'packed');
    call('queues', 'create', 'packed', 'main');
    daemons.push(
      start(
        command,
        [
          'worker',
          `--bus-url=nats://127.0.0.1:${bus}`,
          '--worker-farm=packed',
          `--worker-dir=${join(folder, 'worker')}`,
          '--isolation-enabled=false',
          '--worker-allow-root=true',
          '--log-format=text',
        ],
        env,
        log,
        /$^/,
      ),
    );
    daemons[1].printed.catch((error) => say(error.message));
    const template = join(folder, 'job.yaml');
    writeFileSync(template, TEMPLATE);
    const output = call('submit', template, '--farm', 'packed', '--queue', 'main', '--wait');
    say(`the job ended: ${output.trim().split('\n').at(-1)}`);
    const page = await (await fetch(url)).text();
    if (!page.includes('<script type="module"')) throw new Stop('The web application is not served.');
    say(
      / server: (the HTTP engine .*)$/m.exec(readFileSync(log, 'utf8'))?.[1] ??
        'the log does not name the HTTP engine',
    );
  } catch (error) {
    console.error(readFileSync(log, 'utf8'));
    throw error;
  } finally {
    for (const daemon of daemons.reverse()) await daemon.stop();
  }
}

await runMain(async () => {
  const env = await bootstrap();
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-package-'));
  try {
    await npm(['pack', '--pack-destination', folder], env);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Stop('npm pack wrote no package.');
    const prefix = join(folder, 'prefix');
    await npm(
      [
        'install',
        '--global',
        '--prefix',
        prefix,
        '--ignore-scripts',
        '--prefer-offline',
        '--no-audit',
        '--no-fund',
        join(folder, tarball),
      ],
      env,
    );
    const installed = join(prefix, 'lib/node_modules/callsheet');
    const engine = join(installed, 'dist/engine');
    if (!existsSync(engine)) throw new Stop('The package has no binaries of the HTTP engine.');
    const tree = await npm(['ls', '--global', '--prefix', prefix, '--all', '--parseable'], env);
    say(`tarball ${mib(statSync(join(folder, tarball)).size)}, installed ${mib(sizeOf(installed))}`);
    say(
      `  of which the engine ${mib(sizeOf(engine))}, ${tree.trim().split('\n').length - 2} packages ${mib(sizeOf(join(installed, 'node_modules')))}`,
    );
    await checkTypes(installed, folder);
    await runFarm(join(prefix, 'bin/callsheet'), folder, { ...env });

    say('good');
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

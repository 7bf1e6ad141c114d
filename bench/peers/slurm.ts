import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { benchDirectory, freePort } from '../kit/service.ts';
import type { Installation } from './installation.ts';
import type { Peer, RunningPeer } from './peer.ts';
import { LONGEST_MS } from './run-program.ts';
import { startServer, type ServerProcess } from './server-process.ts';
import { slurmConfiguration } from './slurm-configuration.ts';

const exec = promisify(execFile);
const LOOK_EVERY_MS = 200;

/** A job array of `true` on one node of Slurm, with its own munge, slurmctld and slurmd. */
export function slurm(name: string, isTuned: boolean, share: number): Peer {
  return {
    name,
    kind: 'processes',
    durability: 'state files, written in the background',
    latency: 'not seen from outside',
    settings: isTuned
      ? 'one node with as many cores as workers; sched/builtin, no scheduling delay, sched_min_interval 1 ms, sched_interval 1 s, default_queue_depth 10,000, defer, MinJobAge 2, linuxproc, no accounting'
      : 'one node with as many cores as workers; scheduling as by default (sched/backfill), linuxproc, no accounting',
    fewestWorkers: 64,
    mostWorkers: 256,
    share,
    needsNoWarmUp: true,
    versions: async (installation) => ({
      slurm: installation.programVersion('slurmctld', '-V'),
      slurmd: installation.programVersion('slurmd', '-V'),
      munge: installation.programVersion('munged'),
    }),
    start: (installation, workers) => start(installation, workers, isTuned),
  };
}

async function start(installation: Installation, slots: number, isTuned: boolean): Promise<RunningPeer> {
  const folder = await benchDirectory();
  // munged requires that every process can reach its socket.
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'state'));
  await mkdir(join(folder, 'spool'));
  const host = hostname().split('.')[0] ?? 'localhost';
  const user = userInfo().username;
  const key = join(folder, 'munge.key');
  await writeFile(key, randomBytes(128), { mode: 0o400 });
  const job = join(folder, 'job.sh');
  await writeFile(job, '#!/bin/sh\ntrue\n', { mode: 0o755 });
  const configuration = join(folder, 'slurm.conf');
  const [controllerPort, nodePort] = [await freePort(), await freePort()];
  await writeFile(
    configuration,
    slurmConfiguration({ folder, host, user, slots, controllerPort, nodePort, isTuned }),
  );
  const env = { ...process.env, SLURM_CONF: configuration };
  const run = async (name: string, ...args: string[]): Promise<string> =>
    (await exec(installation.program(name), args, { env })).stdout;
  const servers: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const server of servers.reverse()) await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const socket = join(folder, 'munge.socket');
    servers.push(
      await startServer({
        program: installation.program('munged'),
        args: [
          ...['--foreground', '--force', `--key-file=${key}`, `--socket=${socket}`],
          ...[
            `--pid-file=${folder}/munged.pid`,
            `--log-file=${folder}/munged.log`,
            `--seed-file=${folder}/seed`,
          ],
        ],
        isReady: () => existsSync(socket),
      }),
    );
    servers.push(
      await startServer({
        program: installation.program('slurmctld'),
        args: ['-D', '-f', configuration],
        env,
        isReady: () => answers(installation.program('scontrol'), ['ping'], env, 'UP'),
      }),
    );
    servers.push(
      await startServer({
        program: installation.program('slurmd'),
        args: ['-D', '-f', configuration, '-N', host],
        env,
        isReady: () => answers(installation.program('sinfo'), ['--noheader', '--format=%t'], env, 'idle'),
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  let id = '';
  return {
    // Held, so that submitting is not timed as work.
    submit: async (tasks) => {
      const startedAt = performance.now();
      const answer = await run(
        'sbatch',
        ...['--parsable', '--hold', `--array=0-${tasks - 1}`, '--ntasks=1', '--chdir=/'],
        ...['--output=/dev/null', '--error=/dev/null', job],
      );
      id = answer.trim();
      return (performance.now() - startedAt) / 1000;
    },
    work: async () => {
      const startedAt = performance.now();
      await run('scontrol', 'release', id);
      while ((await run('squeue', '--noheader', '--format=%i')) !== '') {
        if (performance.now() - startedAt > LONGEST_MS)
          throw new Error(`Slurm was not done after ${LONGEST_MS / 1000} s`);
        await delay(LOOK_EVERY_MS);
      }
      return { seconds: (performance.now() - startedAt) / 1000, leaseP50Ms: null, leaseP99Ms: null };
    },
    stop,
  };
}

function answers(program: string, args: readonly string[], env: NodeJS.ProcessEnv, word: string): boolean {
  try {
    return execFileSync(program, args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).includes(word);
  } catch {
    return false;
  }
}

import type { Command } from 'commander';
import { nounCommand, shortForm } from '../grammar/noun-command.ts';
import { NOUNS, VERBS_WITHOUT_NOUN } from '../nouns/all.ts';

/** A command at the top level: its names, and how it is created. Only then is its code loaded, which saves time. */
export interface TopCommand {
  /** The first one is shown in the help; the others are accepted too. */
  readonly names: readonly [string, ...string[]];
  readonly create: () => Promise<Command>;
}

const command = (name: string, load: () => Promise<() => Command>): TopCommand => ({
  names: [name],
  create: async () => (await load())(),
});

/** Prints a script about all commands. */
export const COMPLETION = command(
  'completion',
  async () => (await import('./completion-command.ts')).completionCommand,
);

/** All commands, in the order of the help: first those about this machine and the account. */
export const TOP_COMMANDS: readonly TopCommand[] = [
  command('server', async () => (await import('./daemons.ts')).serverCommand),
  command('worker', async () => (await import('./daemons.ts')).workerCommand),
  command('doctor', async () => (await import('../doctor/doctor-command.ts')).doctorCommand),
  command('backup', async () => (await import('./backup.ts')).backupCommand),
  command('restore', async () => (await import('./restore.ts')).restoreCommand),
  command('bus', async () => (await import('../bus/permissions-command.ts')).busCommand),
  command('cluster', async () => (await import('../cluster/cluster-command.ts')).clusterCommand),
  command('compact', async () => (await import('./compact.ts')).compactCommand),
  command('login', async () => (await import('./login.ts')).loginCommand),
  command('logout', async () => (await import('./logout.ts')).logoutCommand),
  command('whoami', async () => (await import('./whoami.ts')).whoamiCommand),
  ...VERBS_WITHOUT_NOUN.map(({ name, load }): TopCommand => ({
    names: [name],
    create: async () => shortForm(name, await load()),
  })),
  ...NOUNS.map(({ names, load }) => ({ names, create: async () => nounCommand(await load()) })),
  command('openjd', async () => (await import('../openjd/openjd-command.ts')).openjdCommand),
  COMPLETION,
];

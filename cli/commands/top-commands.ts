import type { Command } from 'commander';
import { nounCommand, shortForm } from '../grammar/noun-command.ts';
import type { Noun, Verb } from '../grammar/verb.ts';

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

/** A verb that needs no noun: the short form of a common one, or one about the whole server. */
const verb = (name: string, load: () => Promise<Verb>): TopCommand => ({
  names: [name],
  create: async () => shortForm(name, await load()),
});

const noun = (names: TopCommand['names'], load: () => Promise<Noun>): TopCommand => ({
  names,
  create: async () => nounCommand(await load()),
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
  command('compact', async () => (await import('./compact.ts')).compactCommand),
  command('login', async () => (await import('./login.ts')).loginCommand),
  command('logout', async () => (await import('./logout.ts')).logoutCommand),
  command('whoami', async () => (await import('./whoami.ts')).whoamiCommand),
  verb('submit', async () => (await import('../submission/submit.ts')).submitVerb),
  verb('logs', async () => (await import('../logs/logs.ts')).logsVerb),
  verb('explain', async () => (await import('../nouns/explain.ts')).explainVerb),
  verb('status', async () => (await import('../nouns/status.ts')).statusVerb),
  verb('version', async () => (await import('../nouns/version.ts')).versionVerb),
  noun(['jobs', 'job'], async () => (await import('../jobs/jobs.ts')).jobs),
  noun(['tasks', 'task'], async () => (await import('../nouns/tasks.ts')).tasks),
  noun(['workers'], async () => (await import('../nouns/workers.ts')).workers),
  noun(['farms'], async () => (await import('../nouns/farms.ts')).farms),
  noun(['queues'], async () => (await import('../nouns/queues.ts')).queues),
  noun(['pools'], async () => (await import('../nouns/pools.ts')).pools),
  noun(['retry-rules'], async () => (await import('../nouns/retry-rules.ts')).retryRules),
  noun(['locations'], async () => (await import('../nouns/locations.ts')).locations),
  noun(['storage'], async () => (await import('../nouns/storage.ts')).storage),
  noun(['products'], async () => (await import('../products/products.ts')).products),
  noun(['presets'], async () => (await import('../products/presets.ts')).presets),
  noun(['bundles', 'bundle'], async () => (await import('../bundles/bundles.ts')).bundles),
  noun(['webhooks'], async () => (await import('../nouns/webhooks.ts')).webhooks),
  noun(['users'], async () => (await import('../nouns/users.ts')).users),
  noun(['keys'], async () => (await import('../nouns/keys.ts')).keys),
  noun(['audit'], async () => (await import('../nouns/audit.ts')).auditLog),
  noun(['context'], async () => (await import('../nouns/contexts.ts')).contextNoun),
  command('openjd', async () => (await import('../openjd/openjd-command.ts')).openjdCommand),
  COMPLETION,
];

import type { Command } from 'commander';
import { countFindings, isFit, type Finding } from '../../src/core/host-check/finding.ts';
import { clientCommand, contextOf, optionsOf, type ClientOptions } from '../client/client-command.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { oneLine, painted } from '../terminal/terminal.ts';
import { printResult } from '../output/output.ts';

const STATUS_WIDTH = 9;
const COLORS = { ok: 'green', warning: 'yellow', failure: 'red', skipped: 'grey' } as const;

/** Returns the findings as lines: status, name, what was found, and how to fix it. */
export function findingsText(findings: readonly Finding[], colors: boolean): string {
  const width = findings.reduce((widest, { name }) => Math.max(widest, oneLine(name).length), 0) + 2;
  const lines = findings.flatMap(({ name, status, found, fix }) => [
    `${painted(status.padEnd(STATUS_WIDTH), COLORS[status], colors)}${oneLine(name).padEnd(width)}${oneLine(found)}`,
    ...(fix === '' ? [] : [`${' '.repeat(STATUS_WIDTH + width)}fix: ${oneLine(fix)}`]),
  ]);
  const { ok, warning, failure, skipped } = countFindings(findings);
  const verdict = isFit(findings) ? 'The host can go into service' : 'The host is not ready for service';
  return [
    ...lines,
    `${verdict}: ${ok} ok, ${warning} warnings, ${failure} failures, ${skipped} skipped.`,
    '',
  ].join('\n');
}

async function doctor(_options: object, command: Command): Promise<void> {
  const context = contextOf(optionsOf<ClientOptions>(command));
  const { client, terminal } = context;
  const { workerConfigOf } = await import('../commands/daemon-config.ts');
  const config = workerConfigOf(command.args);
  const { checkHost } = await import('./check-host.ts');
  const findings = await checkHost(config, client);
  printResult(context, { ok: isFit(findings), checks: findings }, () =>
    findingsText(findings, terminal.colors),
  );
  await exitAfterOutput(isFit(findings) ? EXIT.ok : EXIT.failed);
}

/** Ends the process when the output is written: a check that hangs in a file system would keep it running. */
function exitAfterOutput(status: number): Promise<never> {
  return new Promise(() => {
    process.stdout.write('', () => process.exit(status));
  });
}

/** `callsheet doctor` */
export const doctorCommand = (): Command =>
  clientCommand(
    'doctor',
    'Check whether this host is ready to run a worker. Takes the configuration of `callsheet worker`. Run it as the account of the worker.',
  )
    .usage('[options] [--config FILE] [--a-b-c VALUE]...')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      '\nFlags, variables and the file of `callsheet worker` apply (callsheet worker --help).\nThe exit status is 0 without a failure, and 1 with one.',
    )
    .action(doctor);

import { Option, type Command } from 'commander';
import { auditEntries, type AuditFilter } from '../../client/accounts.ts';
import type { AuditEntry, AuditOutcome } from '../../client/resources.ts';
import { AUDIT_OUTCOMES } from './choices.ts';
import {
  clientCommand,
  contextOf,
  printJson,
  shortTime,
  type ClientContext,
  type ClientOptions,
} from './client-command.ts';
import { pastTime } from './expiry.ts';
import { integer } from './integer.ts';
import { table, type Column } from './table.ts';

interface AuditOptions extends ClientOptions {
  readonly actor?: string;
  readonly outcome?: AuditOutcome;
  readonly denied?: boolean;
  readonly method?: string;
  readonly path?: string;
  readonly permission?: string;
  readonly target?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly ndjson?: boolean;
}

const LIMIT = 50;
const PAGE_MAX = 1000;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'TIME', value: (entry) => shortTime(entry.at) },
  { title: 'ACTOR', value: (entry) => entry.actor, shrinks: true },
  { title: 'FROM', value: (entry) => entry.remote_addr },
  { title: 'OUTCOME', value: (entry) => `${entry.outcome} ${entry.status}` },
  { title: 'METHOD', value: (entry) => entry.method },
  { title: 'PATH', value: (entry) => entry.path, shrinks: true },
  { title: 'DETAILS', value: (entry) => entry.reason ?? targetsOf(entry), shrinks: true },
];

function targetsOf({ targets = [], target_count: count = targets.length }: AuditEntry): string {
  return count > targets.length
    ? `${targets.join(' ')} and ${count - targets.length} more`
    : targets.join(' ');
}

async function audit(options: AuditOptions): Promise<void> {
  const context = contextOf(options);
  const { actor, method, path, permission, target, since, until, denied } = options;
  const outcome = denied === true ? 'denied' : options.outcome;
  const filter: AuditFilter = {
    actor,
    outcome,
    method: method?.toUpperCase(),
    path,
    permission,
    target,
    since,
    until,
  };
  if (options.ndjson === true) await exportAll(context, filter);
  else await show(context, filter, options.limit);
}

/** Prints the newest entries. */
async function show(
  { client, terminal, json }: ClientContext,
  filter: AuditFilter,
  limit: number,
): Promise<void> {
  const found: AuditEntry[] = [];
  const hasMore = await client.run(async (rest) => {
    for await (const entry of auditEntries(rest, filter, Math.min(limit + 1, PAGE_MAX))) {
      if (found.length === limit) return true;
      found.push(entry);
    }
    return false;
  });
  if (json) {
    printJson(terminal, found);
    return;
  }
  terminal.out(table(COLUMNS, found, terminal));
  if (hasMore) terminal.err(`There are older entries: give --limit or --since, or --ndjson for all.\n`);
}

/** Prints all entries, one JSON object on each line. */
async function exportAll({ client, terminal }: ClientContext, filter: AuditFilter): Promise<void> {
  const lines = client.stream('/audit', { endsAfterMs: null }, { query: { ...filter, format: 'ndjson' } });
  for await (const entry of lines) terminal.out(`${JSON.stringify(entry)}\n`);
}

/** `callsheet audit` */
export const auditCommand = (): Command =>
  clientCommand('audit', 'Show who was denied and who has changed what, newest first. For administrators.')
    .option('--actor <name>', 'only requests of this account')
    .addOption(new Option('--outcome <outcome>', 'only requests with this outcome').choices(AUDIT_OUTCOMES))
    .addOption(new Option('--denied', 'only denied requests').conflicts('outcome'))
    .option('--method <method>', 'only requests with this method')
    .option('--path <start>', 'only requests whose path starts with this')
    .option('--permission <name>', 'only requests that need this permission')
    .option('--target <id>', 'only requests that concern this id or name')
    .option(
      '--since <time>',
      'only from this time on, such as 2026-11-22T10:00:00Z, or 2h or 7d before now',
      pastTime,
    )
    .option('--until <time>', 'only before this time', pastTime)
    .option('--limit <n>', `number of entries`, integer, LIMIT)
    .addOption(new Option('--ndjson', 'print all entries, one JSON object on each line').conflicts('json'))
    .action(audit);

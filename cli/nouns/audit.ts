import { Option, type Command } from 'commander';
import { auditEntries, type AuditFilter } from '../../client/accounts.ts';
import type { AuditEntry, AuditOutcome } from '../../client/resources.ts';
import { AUDIT_OUTCOMES } from '../options/choices.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { pastTime } from '../options/expiry.ts';
import { integer } from '../options/integer.ts';
import type { Column } from '../terminal/table.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { printListing, type ListOptions } from '../output/listing.ts';
import { columnsOption } from '../output/list-options.ts';
import { printJsonLine } from '../output/output.ts';

interface AuditOptions extends ClientOptions, ListOptions {
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
  readonly all?: boolean;
  readonly ndjson?: boolean;
}

const LIMIT = 50;
const PAGE_MAX = 1000;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'TIME', value: (entry) => entry.at, isTime: true },
  { title: 'ACTOR', value: actorText, shrinks: true },
  { title: 'FROM', value: (entry) => entry.remote_addr },
  { title: 'ID', value: (entry) => entry.id, isWide: true },
  { title: 'OUTCOME', value: ({ outcome, status }) => (status === 0 ? outcome : `${outcome} ${status}`) },
  { title: 'METHOD', value: (entry) => entry.method },
  { title: 'PATH', value: (entry) => entry.path, shrinks: true },
  { title: 'DETAILS', value: (entry) => entry.reason ?? targetsOf(entry), shrinks: true },
];

/** Returns the account, or the queue that has decided. */
function actorText({ actor, decision }: AuditEntry): string {
  return decision === undefined ? actor : `queue ${decision.preemption.queue}`;
}

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
  if (options.ndjson === true) {
    if (context.isForPrograms && context.output.format !== 'jsonl')
      throw new CommandError(EXIT.usage, `--ndjson and -o ${context.output.format} exclude each other`);
    return exportAll(context, filter);
  }
  if (options.all === true && context.output.format === 'jsonl') return exportAll(context, filter);
  return show(context, filter, options);
}

/** Prints the newest entries, or all. */
async function show(context: ClientContext, filter: AuditFilter, options: AuditOptions): Promise<void> {
  const limit = options.all === true ? Number.POSITIVE_INFINITY : options.limit;
  const found: AuditEntry[] = [];
  const hasMore = await context.client.run(async (rest) => {
    for await (const entry of auditEntries(rest, filter, Math.min(limit + 1, PAGE_MAX))) {
      if (found.length === limit) return true;
      found.push(entry);
    }
    return false;
  });
  printListing(
    context,
    { what: 'entry', plural: 'entries', columns: COLUMNS, items: found, reply: found },
    options,
  );
  if (hasMore && !context.isForPrograms)
    context.terminal.err('There are older entries: give --limit, --since or --all.\n');
}

/** Prints all entries, one JSON object on each line. */
async function exportAll({ client, terminal }: ClientContext, filter: AuditFilter): Promise<void> {
  const lines = client.stream('/audit', { endsAfterMs: null }, { query: { ...filter, format: 'ndjson' } });
  for await (const entry of lines) printJsonLine(terminal, entry);
}

const withFilters = (command: Command): Command =>
  columnsOption(command)
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
    .option('--all', 'all entries')
    .addOption(new Option('--ndjson', 'the same as --all -o jsonl').conflicts('json'));

/** `callsheet audit` */
export const auditLog: Noun = {
  name: 'audit',
  about:
    'Show who was denied, who has changed what, and which tasks were taken back, newest first. For administrators.',
  verbs: [
    verb<AuditOptions>({
      name: 'list',
      about: 'List entries of the audit log, newest first.',
      options: withFilters,
      run: (_args, options) => audit(options),
    }),
  ],
};

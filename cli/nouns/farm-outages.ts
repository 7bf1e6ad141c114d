import { Option } from 'commander';
import type { AnswerOf } from '../../client/rest-calls.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { findFarm } from '../client/lookup.ts';
import { verb } from '../grammar/verb.ts';
import { entryArgument } from '../grammar/verb-parts.ts';
import { shortTime } from '../output/age.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { Column } from '../terminal/table.ts';

type Outage = AnswerOf<'get', '/farms/{id}/outages'>[number];

const COLUMNS: readonly Column<Outage>[] = [
  { title: 'PLACE', value: ({ place }) => place, shrinks: true },
  { title: 'STATUS', value: ({ status }) => status },
  { title: 'HELD UNTIL', value: ({ held_until: until }) => shortTime(until), isTime: true },
  { title: 'TIMES', value: ({ times }) => String(times), align: 'right' },
  { title: 'FAILURES', value: ({ failures }) => String(failures), align: 'right' },
  { title: 'JOBS', value: ({ jobs }) => String(jobs), align: 'right' },
  { title: 'WORKERS', value: ({ workers }) => String(workers), align: 'right' },
  { title: 'SINCE', value: ({ since }) => shortTime(since), isTime: true, isWide: true },
  { title: 'MESSAGE', value: ({ message }) => message, shrinks: true },
];

interface EndOptions extends ClientOptions {
  readonly pool?: string;
  readonly location?: string;
}

/** Returns the place that the options name. */
function placeOf({ pool, location }: EndOptions): Pick<Outage, 'kind' | 'name'> {
  if (pool !== undefined && location === undefined) return { kind: 'usage pool', name: pool };
  if (location !== undefined && pool === undefined) return { kind: 'compute location', name: location };
  throw new CommandError(EXIT.usage, 'name what has the outage: --pool POOL or --location NAME');
}

/** Verbs of `callsheet farms` about outages that many jobs share (docs/outages.md). */
export const outageVerbs = [
  verb<ClientOptions>({
    name: 'outages',
    about: 'List the outages of a farm: what is held because tasks of several jobs failed there.',
    arguments: [entryArgument('farm')],
    run: async ([given = ''], options) => {
      const context = contextOf(options);
      const { client } = context;
      const { id } = await findFarm(client, given);
      const items = await client.call('get', '/farms/{id}/outages', { path: { id } });
      printListing(context, { what: 'outage', columns: COLUMNS, items, reply: items }, {});
    },
  }),
  verb<EndOptions>({
    name: 'end-outage',
    about: 'End an outage, so that its tasks start again at once.',
    arguments: [entryArgument('farm')],
    options: (command) =>
      command
        .addOption(new Option('--pool <pool>', 'the usage pool that is held'))
        .addOption(
          new Option('--location <name>', 'the compute location that is held; "" for workers without one'),
        ),
    run: async ([given = ''], options) => {
      const body = placeOf(options);
      const context = contextOf(options);
      const { client } = context;
      const { id } = await findFarm(client, given);
      const left = await client.call('post', '/farms/{id}/end-outage', { path: { id }, body });
      printResult(context, left, () => 'outage ended\n');
    },
  }),
];

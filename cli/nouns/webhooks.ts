import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Webhook, WebhookEventType, WebhookReplacement } from '../../client/resources.ts';
import { WEBHOOK_EVENTS } from '../options/choices.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { counted } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { findGivenFarm, findIn, findQueue } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { Column } from '../terminal/table.ts';
import { secretFromFile } from '../credentials/enter-secret.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { factLines } from '../output/facts.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { catalogVerbs, changeEntry, overwritable, type Catalog, type ChangeOptions } from './catalog.ts';
import { entryArgument } from '../grammar/verb-parts.ts';
import { DELIVERY_COLUMNS, WEBHOOK_COLUMNS, webhookFacts } from './webhook-details.ts';

const WEBHOOKS: Catalog<Webhook, WebhookReplacement> = {
  what: 'webhook',
  columns: () => Promise.resolve(WEBHOOK_COLUMNS),
  list: (client) => client.call('get', '/webhooks'),
  inputOf: ({ name, format, events, farm_id, queue_id, owner, enabled }) => ({
    name,
    format,
    events,
    farm_id,
    queue_id,
    owner,
    enabled,
  }),
  read: (client, id) => client.callWithHeaders('get', '/webhooks/{id}', { path: { id } }),
  replace: (client, id, body, headers) =>
    client.call('put', '/webhooks/{id}', { path: { id }, body, headers }),
  remove: (client, id) => client.call('delete', '/webhooks/{id}', { path: { id } }),
  consequences: (_client, { pending }) =>
    Promise.resolve([`${counted(pending, 'pending notification')} will not be sent.`]),
};

/** Parses `job.failed,job.parked`. Throws a usage error for another text. */
function eventList(given: string): readonly WebhookEventType[] {
  return given.split(',').map((part) => {
    const event = WEBHOOK_EVENTS.find((each) => each === part.trim());
    if (event === undefined)
      throw new InvalidArgumentError(
        `unknown event ${JSON.stringify(part.trim())}; use ${WEBHOOK_EVENTS.join(', ')}`,
      );
    return event;
  });
}

interface SettingOptions extends ClientOptions {
  readonly name?: string;
  readonly receiver?: string;
  readonly receiverFile?: string;
  readonly format?: string;
  readonly events?: readonly WebhookEventType[];
  readonly farm?: string;
  readonly queue?: string;
  readonly owner?: string;
  readonly enabled?: boolean;
  readonly disabled?: boolean;
}

/** Returns the filters of the options. An empty text removes a filter. */
async function filtersOf(
  client: RestClient,
  { farm, queue, owner }: SettingOptions,
): Promise<Pick<WebhookReplacement, 'farm_id' | 'queue_id' | 'owner'>> {
  if (queue !== undefined && queue !== '' && (farm === undefined || farm === ''))
    throw new CommandError(EXIT.usage, '--queue needs --farm');
  const found = farm === '' ? undefined : await findGivenFarm(client, farm);
  const inQueue =
    found === undefined || queue === undefined || queue === '' ? null : await findQueue(client, found, queue);
  return {
    ...(farm === undefined ? {} : { farm_id: found?.id ?? null }),
    ...(queue === undefined ? {} : { queue_id: inQueue?.id ?? null }),
    ...(owner === undefined ? {} : { owner: owner === '' ? null : owner }),
  };
}

/** Returns the URL of the receiver from the option or its file. */
function receiverOf({ receiver, receiverFile }: SettingOptions): string | undefined {
  if (receiverFile === undefined) return receiver;
  if (receiver !== undefined)
    throw new CommandError(EXIT.usage, 'give --receiver or --receiver-file, not both');
  return secretFromFile(receiverFile, 'the URL of the receiver');
}

async function create(name: string, options: SettingOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const { format, events } = options;
  const url = receiverOf(options);
  if (url === undefined) throw new CommandError(EXIT.usage, 'give --receiver or --receiver-file');
  if (events === undefined) throw new CommandError(EXIT.usage, 'give --events');
  const made = await client.call('post', '/webhooks', {
    body: {
      name,
      url,
      events,
      ...(await filtersOf(client, options)),
      ...(format === undefined ? {} : { format }),
      enabled: options.disabled !== true,
    },
  });
  printResult(context, made, () => `${made.id}\n`);
  terminal.err(`The signing key is not shown again: ${made.secret}\n`);
}

async function set(given: string, options: SettingOptions & ChangeOptions): Promise<void> {
  if (options.enabled === true && options.disabled === true)
    throw new CommandError(EXIT.usage, 'give --enabled or --disabled, not both');
  const enabled = options.enabled === true ? true : options.disabled === true ? false : undefined;
  const changes = {
    name: options.name,
    url: receiverOf(options),
    format: options.format,
    events: options.events,
    ...(await filtersOf(contextOf(options).client, options)),
    enabled,
  };
  await changeEntry(WEBHOOKS, given, changes, options);
}

const find = async (client: RestClient, given: string): Promise<Webhook> =>
  findIn(await client.call('get', '/webhooks'), given, 'webhook');

async function show(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const webhook = await find(client, given);
  const facts = isForPrograms ? [] : await webhookFacts(client, webhook);
  printResult(context, webhook, () => factLines(facts, terminal));
}

async function deliveries(given: string, options: ClientOptions & WholeListOptions): Promise<void> {
  const context = contextOf(options);
  const { id } = await find(context.client, given);
  const found = await context.client.call('get', '/webhooks/{id}/deliveries', { path: { id } });
  const items = sorted(found, DELIVERY_COLUMNS, options.sort);
  const names = { what: 'delivery', plural: 'deliveries' };
  printListing(context, { ...names, columns: DELIVERY_COLUMNS, items, reply: items }, options);
}

async function sendTest(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { id } = await find(context.client, given);
  const delivery = await context.client.call('post', '/webhooks/{id}/test', { path: { id } });
  const isDelivered = delivery.status === 'delivered';
  if (isDelivered || context.isForPrograms)
    printResult(context, delivery, () => `delivered with status ${delivery.last_attempt?.status ?? ''}\n`);
  if (!isDelivered)
    throw new CommandError(
      EXIT.failed,
      `the test failed: ${delivery.last_attempt?.error ?? 'no attempt was made'}`,
    );
}

async function rotate(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { id } = await find(context.client, given);
  const webhook = await context.client.call('post', '/webhooks/{id}/secret', { path: { id } });
  printResult(context, webhook, () => `${webhook.secret}\n`);
  context.terminal.err('The key is not shown again. The previous key signs as well for 24 hours.\n');
}

interface WebhookFormat {
  readonly name: string;
  readonly title: string;
}

const FORMAT_COLUMNS: readonly Column<WebhookFormat>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'TITLE', value: ({ title }) => title },
];

async function formats(options: ClientOptions & WholeListOptions): Promise<void> {
  const context = contextOf(options);
  const found = sorted(await context.client.call('get', '/webhook-formats'), FORMAT_COLUMNS, options.sort);
  printListing(
    context,
    { what: 'webhook format', columns: FORMAT_COLUMNS, items: found, reply: found },
    options,
  );
}

const withSettings = (command: Command): Command =>
  command
    .option('--receiver <url>', 'URL of the receiver')
    .option(
      '--receiver-file <file>',
      'file with the URL (- for standard input), to hide it from process lists',
    )
    .addOption(new Option('--events <events>', 'events, with commas between them').argParser(eventList))
    .option('--format <name>', 'format of the body, such as generic, slack, mattermost or discord')
    .option('--farm <farm>', 'only events of this farm')
    .option('--queue <queue>', 'only events of jobs of this queue; needs --farm')
    .option('--owner <name>', 'only events of jobs of this owner')
    .option('--disabled', 'neither queue nor send events');

const { list, remove } = catalogVerbs(WEBHOOKS, {
  argument: 'webhook',
  list: 'List webhooks.',
  show: 'Show a webhook.',
  delete: 'Delete a webhook with its deliveries.',
});

const ARGUMENT = entryArgument('webhook');

/** `callsheet webhooks` */
export const webhooks: Noun = {
  name: 'webhooks',
  about: 'List webhooks, or create, change, test or delete one.',
  verbs: [
    list,
    verb<ClientOptions>({
      name: 'show',
      about: 'Show a webhook.',
      arguments: [ARGUMENT],
      run: ([webhook = ''], options) => show(webhook, options),
    }),
    verb<SettingOptions>({
      name: 'create',
      about: 'Create a webhook. Prints its id, and its signing key once.',
      arguments: [{ name: '<name>', help: 'name of the webhook' }],
      options: withSettings,
      run: ([name = ''], options) => create(name, options),
    }),
    verb<SettingOptions>({
      name: 'set',
      about: 'Change a webhook. Other settings stay; an empty filter is removed.',
      arguments: [ARGUMENT],
      options: (command) =>
        overwritable(
          withSettings(command)
            .option('--name <name>', 'new name')
            .option('--enabled', 'queue and send events'),
        ),
      run: ([webhook = ''], options) => set(webhook, options),
    }),
    remove,
    verb<ClientOptions>({
      name: 'test',
      about: 'Send a test event, and print the outcome.',
      arguments: [ARGUMENT],
      run: ([webhook = ''], options) => sendTest(webhook, options),
    }),
    verb<ClientOptions & WholeListOptions>({
      name: 'deliveries',
      about: 'List deliveries of a webhook, the newest first.',
      arguments: [ARGUMENT],
      options: wholeListOptions,
      run: ([webhook = ''], options) => deliveries(webhook, options),
    }),
    verb<ClientOptions>({
      name: 'rotate-secret',
      about: 'Create another signing key. Prints it: it is not shown again.',
      arguments: [ARGUMENT],
      run: ([webhook = ''], options) => rotate(webhook, options),
    }),
    verb<ClientOptions & WholeListOptions>({
      name: 'formats',
      about: 'List the formats of bodies.',
      options: wholeListOptions,
      run: (_args, options) => formats(options),
    }),
  ],
};

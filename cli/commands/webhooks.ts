import { InvalidArgumentError, Option, type Command } from 'commander';
import type {
  Webhook,
  WebhookDelivery,
  WebhookEventType,
  WebhookReplacement,
} from '../../client/resources.ts';
import { secretFromFile } from '../credentials/enter-secret.ts';
import { changeEntry, confirmable, deletion, entryArgumentHelp, listing, type Catalog } from './catalog.ts';
import { WEBHOOK_EVENTS } from './choices.ts';
import {
  clientCommand,
  contextOf,
  innerCommand,
  printJson,
  shortTime,
  type ClientOptions,
} from './client-command.ts';
import { counted } from './confirm-deletion.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findGivenFarm, findFarm, findIn, findQueue } from './lookup.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';

const timeOf = (time: string | null): string => (time === null ? 'never' : shortTime(time));

/** Returns the state of a webhook as one word or sentence. */
function stateOf({ enabled, disabled_reason: reason, failures }: Webhook): string {
  if (!enabled) return reason === null ? 'disabled' : `disabled: ${reason}`;
  return failures === 0 ? 'enabled' : 'failing';
}

const WEBHOOKS: Catalog<Webhook, WebhookReplacement> = {
  what: 'webhook',
  columns: [
    { title: 'ID', value: (webhook) => webhook.id, isId: true },
    { title: 'NAME', value: (webhook) => webhook.name, shrinks: true },
    { title: 'STATUS', value: stateOf },
    { title: 'RECEIVER', value: (webhook) => webhook.endpoint, shrinks: true },
    { title: 'FORMAT', value: (webhook) => webhook.format },
    { title: 'EVENTS', value: (webhook) => webhook.events.join(','), shrinks: true },
    { title: 'PENDING', value: (webhook) => String(webhook.pending), align: 'right' },
    { title: 'LAST SUCCESS', value: (webhook) => timeOf(webhook.last_success_at) },
  ],
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
  replace: (client, id, body) => client.call('put', '/webhooks/{id}', { path: { id }, body }),
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

async function create(name: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<SettingOptions>();
  const { client, terminal, json } = contextOf(options);
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
  if (json) printJson(terminal, made);
  else terminal.out(`${made.id}\n`);
  tellSecret(terminal, made.secret);
}

/** Shows the key of the signature in the text for people; JSON has it as well. */
function tellSecret(terminal: ReturnType<typeof contextOf>['terminal'], secret: string): void {
  terminal.err(`The signing key is not shown again: ${secret}\n`);
}

async function set(given: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<SettingOptions>();
  const { client } = contextOf(options);
  if (options.enabled === true && options.disabled === true)
    throw new CommandError(EXIT.usage, 'give --enabled or --disabled, not both');
  const enabled = options.enabled === true ? true : options.disabled === true ? false : undefined;
  const changes = {
    name: options.name,
    url: receiverOf(options),
    format: options.format,
    events: options.events,
    ...(await filtersOf(client, options)),
    enabled,
  };
  await changeEntry(WEBHOOKS, given, changes, command);
}

async function find(client: RestClient, given: string): Promise<Webhook> {
  return findIn(await client.call('get', '/webhooks'), given, 'webhook');
}

async function show(given: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const webhook = await find(client, given);
  if (json) return printJson(terminal, webhook);
  const { farm_id: farm, queue_id: queue, owner } = webhook;
  const lines: readonly (readonly [string, string])[] = [
    ['ID', webhook.id],
    ['Name', webhook.name],
    ['Status', stateOf(webhook)],
    ['Receiver', webhook.endpoint],
    ['Format', webhook.format],
    ['Events', webhook.events.join(', ')],
    ['Farm', farm === null ? 'any' : (await findFarm(client, farm)).name],
    ['Queue', queue ?? 'any'],
    ['Owner', owner ?? 'any'],
    ['Pending', String(webhook.pending)],
    ['Missed', String(webhook.missed)],
    ['Last success', timeOf(webhook.last_success_at)],
    ['Last failure', timeOf(webhook.last_failure_at)],
    ['Last error', webhook.last_error ?? ''],
    ['Created by', webhook.created_by],
  ];
  const width = Math.max(...lines.map(([title]) => title.length)) + 2;
  for (const [title, value] of lines) terminal.out(`${title.padEnd(width)}${value}\n`);
}

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'ID', value: (delivery) => delivery.id, isId: true },
  { title: 'EVENT', value: (delivery) => delivery.type },
  { title: 'STATUS', value: (delivery) => delivery.status },
  { title: 'ATTEMPTS', value: (delivery) => String(delivery.attempts), align: 'right' },
  { title: 'CREATED', value: (delivery) => shortTime(delivery.created_at) },
  { title: 'NEXT', value: ({ next_at: next }) => (next === null ? '' : shortTime(next)) },
  {
    title: 'RESULT',
    value: ({ last_attempt: last }) => (last === null ? '' : (last.error ?? `status ${last.status ?? ''}`)),
    shrinks: true,
  },
];

async function deliveries(given: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const { id } = await find(client, given);
  const found = await client.call('get', '/webhooks/{id}/deliveries', { path: { id } });
  if (json) printJson(terminal, found);
  else terminal.out(table(DELIVERY_COLUMNS, found, terminal));
}

async function sendTest(given: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const { id } = await find(client, given);
  const delivery = await client.call('post', '/webhooks/{id}/test', { path: { id } });
  if (json) printJson(terminal, delivery);
  if (delivery.status !== 'delivered')
    throw new CommandError(
      EXIT.failed,
      `the test failed: ${delivery.last_attempt?.error ?? 'no attempt was made'}`,
    );
  if (!json) terminal.out(`delivered with status ${delivery.last_attempt?.status ?? ''}\n`);
}

async function rotate(given: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const { id } = await find(client, given);
  const webhook = await client.call('post', '/webhooks/{id}/secret', { path: { id } });
  if (json) printJson(terminal, webhook);
  else terminal.out(`${webhook.secret}\n`);
  terminal.err('The key is not shown again. The previous key signs as well for 24 hours.\n');
}

async function formats(_options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const found = await client.call('get', '/webhook-formats');
  if (json) printJson(terminal, found);
  else
    terminal.out(
      table(
        [
          { title: 'NAME', value: ({ name }) => name },
          { title: 'TITLE', value: ({ title }) => title },
        ],
        found,
        terminal,
      ),
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

const ARGUMENT = ['<webhook>', entryArgumentHelp('webhook')] as const;

/** `callsheet webhooks` */
export const webhooksCommand = (): Command =>
  clientCommand('webhooks', 'List webhooks, or create, change, test or delete one.')
    .addCommand(
      innerCommand('list', 'List webhooks.').action((_options: object, command: Command) =>
        listing(WEBHOOKS)(command.optsWithGlobals<ClientOptions>()),
      ),
      { isDefault: true },
    )
    .helpCommand(false)
    .addCommand(
      innerCommand('show', 'Show a webhook.')
        .argument(...ARGUMENT)
        .action(show),
    )
    .addCommand(
      withSettings(innerCommand('create', 'Create a webhook. Prints its id, and its signing key once.'))
        .argument('<name>', 'name of the webhook')
        .action(create),
    )
    .addCommand(
      withSettings(innerCommand('set', 'Change a webhook. Other settings stay; an empty filter is removed.'))
        .argument(...ARGUMENT)
        .option('--name <name>', 'new name')
        .option('--enabled', 'queue and send events')
        .action(set),
    )
    .addCommand(
      confirmable(innerCommand('delete', 'Delete a webhook with its deliveries.'))
        .argument(...ARGUMENT)
        .action(deletion(WEBHOOKS)),
    )
    .addCommand(
      innerCommand('test', 'Send a test event, and print the outcome.')
        .argument(...ARGUMENT)
        .action(sendTest),
    )
    .addCommand(
      innerCommand('deliveries', 'List deliveries of a webhook, the newest first.')
        .argument(...ARGUMENT)
        .action(deliveries),
    )
    .addCommand(
      innerCommand('rotate-secret', 'Create another signing key. Prints it: it is not shown again.')
        .argument(...ARGUMENT)
        .action(rotate),
    )
    .addCommand(innerCommand('formats', 'List the formats of bodies.').action(formats));

import type { Gate, SlotHolder, TaskExplanation } from '../../../client/resources.ts';

/** A link to a resource that a gate names. */
export interface NamedLink {
  readonly label: string;
  readonly href: string;
}

/** A part of a sentence; `href` is null for plain text. */
export interface SentencePart {
  readonly text: string;
  readonly href: string | null;
}

const jobHref = (id: string): string => `/jobs/${encodeURIComponent(id)}`;
const workerHref = (id: string): string => `/workers/${encodeURIComponent(id)}`;
const searchHref = (page: string, text: string): string => `/${page}?search=${encodeURIComponent(text)}`;
/** Returns the address of the tasks of a step, which is a tab of the job page. */
export const stepHref = (jobId: string, name: string): string =>
  `${jobHref(jobId)}?tab=tasks&step=${encodeURIComponent(name)}`;

const holderLinks = (holders: readonly SlotHolder[]): readonly NamedLink[] =>
  holders.map(({ job }) => ({ label: job.name, href: jobHref(job.id) }));

/** Returns links to the resources that a gate names; none for a gate of a later version. */
export function linksOf(
  gate: Gate,
  { job_id: jobId }: Pick<TaskExplanation, 'job_id'>,
): readonly NamedLink[] {
  switch (gate.gate) {
    case 'job':
    case 'paused_job':
    case 'start_after':
    case 'job_cap':
      return [{ label: 'The job', href: jobHref(jobId) }];
    case 'upstream_job':
      return gate.job === undefined ? [] : [{ label: gate.job.name, href: jobHref(gate.job.id) }];
    case 'held_step':
    case 'canary':
    case 'step_cap':
    case 'upstream_step':
      return [{ label: gate.step.name, href: stepHref(jobId, gate.step.name) }];
    case 'paused_queue':
      return [{ label: gate.queue.name, href: searchHref('queues', gate.queue.name) }];
    case 'farm_cap':
      return [{ label: 'Farm', href: '/farms' }, ...holderLinks(gate.holders)];
    case 'queue_cap':
      return [
        { label: gate.queue.name, href: searchHref('queues', gate.queue.name) },
        ...holderLinks(gate.holders),
      ];
    case 'owner_cap':
    case 'project_cap':
      return [
        gate.queue === undefined
          ? { label: 'Farm', href: '/farms' }
          : { label: gate.queue.name, href: searchHref('queues', gate.queue.name) },
        ...holderLinks(gate.holders),
      ];
    case 'usage_pool':
      return [{ label: gate.pool, href: searchHref('usage-pools', gate.pool) }, ...holderLinks(gate.holders)];
    case 'workers':
      return gate.nearest_miss === undefined
        ? [{ label: 'Workers', href: '/workers' }]
        : [{ label: gate.nearest_miss.worker, href: workerHref(gate.nearest_miss.worker_id) }];
    case 'outage':
      return [{ label: 'outages', href: '/farms' }];
    case 'quarantine':
      return gate.doubted.map((each) => ({ label: each.worker, href: workerHref(each.worker_id) }));
    case 'cores':
    case 'amounts':
      return [{ label: 'workers', href: '/workers' }];
    case 'scheduler':
      return [{ label: 'The scheduler', href: '/diagnostics' }];
    default:
      return [];
  }
}

/** Splits a sentence at the names that have a link. `others` are the links that the sentence does not name. */
export function linkNames(
  sentence: string,
  links: readonly NamedLink[],
): { readonly parts: readonly SentencePart[]; readonly others: readonly NamedLink[] } {
  let parts: SentencePart[] = [{ text: sentence, href: null }];
  const others: NamedLink[] = [];
  for (const link of links) {
    const index = parts.findIndex(({ text, href }) => href === null && wordAt(text, link.label) !== -1);
    const part = parts[index];
    if (part === undefined) {
      others.push(link);
      continue;
    }
    const at = wordAt(part.text, link.label);
    const pieces = [
      { text: part.text.slice(0, at), href: null },
      { text: link.label, href: link.href },
      { text: part.text.slice(at + link.label.length), href: null },
    ];
    parts = [...parts.slice(0, index), ...pieces, ...parts.slice(index + 1)];
  }
  return { parts: parts.filter(({ text }) => text !== ''), others };
}

/** Returns the offset of a name that is not part of a longer word, or -1. */
function wordAt(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + name.length])) return at;
  return -1;
}

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_-]/u.test(character);

const TITLES: Readonly<Record<Gate['gate'], string>> = {
  job: 'Job',
  upstream_job: 'Upstream job',
  upstream_step: 'Upstream step',
  paused_job: 'Paused job',
  start_after: 'Start time',
  held_step: 'Held step',
  canary: 'Canary tasks',
  paused_queue: 'Paused queue',
  retry_after: 'Retry delay',
  farm_cap: 'Farm cap',
  queue_cap: 'Queue cap',
  owner_cap: 'Owner cap',
  project_cap: 'Project cap',
  job_cap: 'Job cap',
  step_cap: 'Step cap',
  usage_pool: 'Usage pool',
  outage: 'Outage',
  workers: 'Workers',
  quarantine: 'Quarantine',
  cores: 'Cores',
  amounts: 'Amounts',
  order: 'Order',
  scheduler: 'Scheduler',
};

/** Returns the title of a gate; the gate itself if it is of a later version. */
export const gateTitle = (gate: string): string =>
  Object.entries(TITLES).find(([known]) => known === gate)?.[1] ?? gate;

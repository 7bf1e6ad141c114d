import type { Gate, SlotHolder, TaskExplanation } from '../../../client/resources.ts';

/** Where one finds more about what holds a task. */
export interface NamedLink {
  readonly label: string;
  readonly href: string;
}

/** A part of a sentence; some lead somewhere. */
export interface SentencePart {
  readonly text: string;
  readonly href: string | null;
}

const jobHref = (id: string): string => `/jobs/${encodeURIComponent(id)}`;
const workerHref = (id: string): string => `/workers/${encodeURIComponent(id)}`;
const searched = (page: string, text: string): string => `/${page}?search=${encodeURIComponent(text)}`;
/** The tasks of a step, by its name: a part of the page of its job. */
export const stepHref = (jobId: string, name: string): string =>
  `${jobHref(jobId)}?tab=tasks&step=${encodeURIComponent(name)}`;

const holderLinks = (holders: readonly SlotHolder[]): readonly NamedLink[] =>
  holders.map(({ job }) => ({ label: job.name, href: jobHref(job.id) }));

/** What a gate names, with where it leads. A gate of a later version has none. */
export function linksOf(
  gate: Gate,
  { job_id: jobId }: Pick<TaskExplanation, 'job_id'>,
): readonly NamedLink[] {
  switch (gate.gate) {
    case 'job':
    case 'paused_job':
      return [{ label: 'The job', href: jobHref(jobId) }];
    case 'upstream_job':
      return [{ label: gate.job.name, href: jobHref(gate.job.id) }];
    case 'upstream_step':
      return [{ label: gate.step.name, href: stepHref(jobId, gate.step.name) }];
    case 'paused_queue':
      return [{ label: gate.queue.name, href: searched('queues', gate.queue.name) }];
    case 'farm_cap':
      return [{ label: 'Farm', href: '/farms' }, ...holderLinks(gate.holders)];
    case 'queue_cap':
      return [
        { label: gate.queue.name, href: searched('queues', gate.queue.name) },
        ...holderLinks(gate.holders),
      ];
    case 'usage_pool':
      return [{ label: gate.pool, href: searched('usage-pools', gate.pool) }, ...holderLinks(gate.holders)];
    case 'workers':
      return gate.nearest_miss === undefined
        ? [{ label: 'Workers', href: '/workers' }]
        : [{ label: gate.nearest_miss.worker, href: workerHref(gate.nearest_miss.worker_id) }];
    case 'cores':
      return [{ label: 'workers', href: '/workers' }];
    case 'scheduler':
      return [{ label: 'The scheduler', href: '/diagnostics' }];
    default:
      return [];
  }
}

/** A sentence in which the names that lead somewhere are apart, and the links that it does not name. */
export function linked(
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
    const split = [
      { text: part.text.slice(0, at), href: null },
      { text: link.label, href: link.href },
      { text: part.text.slice(at + link.label.length), href: null },
    ];
    parts = [...parts.slice(0, index), ...split, ...parts.slice(index + 1)];
  }
  return { parts: parts.filter(({ text }) => text !== ''), others };
}

/** Where a name stands by itself, not within a longer word. */
function wordAt(text: string, name: string): number {
  if (name === '') return -1;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + name.length])) return at;
  return -1;
}

const isPart = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_-]/u.test(character);

const TITLES: Readonly<Record<Gate['gate'], string>> = {
  job: 'Job',
  upstream_job: 'Other job',
  upstream_step: 'Step',
  paused_job: 'Paused job',
  paused_queue: 'Paused queue',
  retry_after: 'Next try',
  farm_cap: 'Farm cap',
  queue_cap: 'Queue cap',
  usage_pool: 'Usage pool',
  workers: 'Workers',
  cores: 'Cores',
  order: 'Order',
  scheduler: 'Scheduler',
};

/** What kind of gate it is, in a word or two. */
export const gateTitle = (gate: string): string =>
  Object.entries(TITLES).find(([known]) => known === gate)?.[1] ?? gate;

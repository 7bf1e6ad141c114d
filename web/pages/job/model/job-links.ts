import type { JobDetail, Settings } from '../../../../client/resources.ts';

type Template = Settings['web']['job_links'][number];
type LinkedJob = Pick<JobDetail, 'id' | 'name' | 'owner' | 'project' | 'parameters'>;

export interface ShownLink {
  readonly name: string;
  readonly href: string;
}

/** Returns the links of a job. A link to which the job has no value for a placeholder is left out. */
export function linksOf(templates: readonly Template[], job: LinkedJob): readonly ShownLink[] {
  return templates.flatMap(({ name, url }) => {
    const href = hrefOf(url, job);
    return href === null ? [] : [{ name, href }];
  });
}

function hrefOf(template: string, job: LinkedJob): string | null {
  // The service accepts no other schemes: a link must not run a script.
  if (!/^https?:/i.test(template)) return null;
  let isComplete = true;
  const href = template.replaceAll(/\{([^{}]*)\}/g, (_match, placeholder: string) => {
    const value = valueOf(placeholder, job);
    if (value === '') isComplete = false;
    return encodeURIComponent(value);
  });
  return isComplete ? href : null;
}

/** Returns the value of a placeholder; empty for none. */
function valueOf(placeholder: string, { id, name, owner, project, parameters }: LinkedJob): string {
  const own = new Map([
    ['job.id', id],
    ['job.name', name],
    ['job.owner', owner],
    ['job.project', project],
  ]).get(placeholder);
  if (own !== undefined) return own;
  const parameter = placeholder.startsWith('parameter.')
    ? Object.entries(parameters ?? {}).find(([key]) => key === placeholder.slice('parameter.'.length))?.[1]
    : undefined;
  return parameter ?? '';
}

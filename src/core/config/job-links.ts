import { right, shown, wrong, type Parsed, type ValueType } from './value-type.ts';

/** A link that the page of a job shows (`web.job_links`). */
export interface JobLink {
  readonly name: string;
  /** An http or https URL with placeholders such as `{job.id}`. */
  readonly url: string;
}

const NAME_CHARACTERS_MAX = 40;
const URL_CHARACTERS_MAX = 2_048;
const LINKS_MAX = 20;
const ORIGIN = /^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?(?:[/?#]|$)/i;
/** `{parameter.X}` is a parameter of the job. */
const PLACEHOLDER = /^(?:job\.(?:id|name|owner|project)|parameter\.[A-Za-z_][A-Za-z0-9_]*)$/;

/** A map of name to URL; as text, the same map as JSON. */
export function jobLinks(): ValueType<readonly JobLink[]> {
  const fromMap = (value: unknown): Parsed<readonly JobLink[]> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong(`must be a map of name to URL, got ${shown(value)}`);
    const links: JobLink[] = [];
    for (const [name, url] of Object.entries(value)) {
      if (name.trim() === '' || name.length > NAME_CHARACTERS_MAX)
        return wrong(`has a name that does not have 1 to ${NAME_CHARACTERS_MAX} characters: ${shown(name)}`);
      const fault = typeof url === 'string' ? urlFault(url) : 'must be a text';
      if (fault !== null || typeof url !== 'string')
        return wrong(`the URL of ${shown(name)} ${fault ?? ''}, got ${shown(url)}`);
      links.push({ name, url });
    }
    return links.length > LINKS_MAX ? wrong(`has ${links.length} links, at most ${LINKS_MAX}`) : right(links);
  };
  const fromText = (value: string): Parsed<readonly JobLink[]> => {
    if (value.trim() === '') return right([]);
    try {
      return fromMap(JSON.parse(value));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return wrong(
        `must be a JSON object such as {"Tracker":"https://example.org/{job.name}"}, got ${shown(value)}`,
      );
    }
  };
  return {
    label: 'map of name to URL',
    fromText,
    fromDocument: (value) => (typeof value === 'string' ? fromText(value) : fromMap(value)),
  };
}

/** Returns why a text is not a URL with known placeholders after its host, or null. */
function urlFault(url: string): string | null {
  if (url.length > URL_CHARACTERS_MAX) return `must not have more than ${URL_CHARACTERS_MAX} characters`;
  const names = [...url.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const unknown = names.find((name) => !PLACEHOLDER.test(name));
  if (unknown !== undefined)
    return `has an unknown placeholder {${unknown}}; known are {job.id}, {job.name}, {job.owner}, {job.project} and {parameter.NAME}`;
  if (!ORIGIN.test(url) || /\s/.test(url))
    return 'must not have spaces, and must begin with http:// or https:// and a host without placeholders';
  return null;
}

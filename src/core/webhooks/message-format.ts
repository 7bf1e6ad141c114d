import { NOTICE_TYPES, TEST_TYPE } from './notice.ts';

/** A value of a JSON document. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A ready-made body (docs/webhooks.md#formats). Everything that differs between receivers is in it. */
export interface MessageFormat {
  /** Name of its file without the extension. */
  readonly name: string;
  readonly title: string;
  /** Replacements of single characters in values, so that a name cannot mention people or add markup. */
  readonly escape: ReadonlyMap<string, string>;
  /** Texts by the type of the event, as further placeholders. */
  readonly words: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** JSON whose texts contain placeholders such as `{{job.name}}`. */
  readonly body: JsonValue;
}

export type FormatResult =
  | { readonly ok: true; readonly format: MessageFormat }
  | { readonly ok: false; readonly detail: string };

/** Format of the event itself. */
export const GENERIC_FORMAT = 'generic';

/** Name of a format. */
const FORMAT_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_.]+)\s*\}\}/g;
/** Maximum number of characters of a value in a message. */
const VALUE_CHARACTERS_MAX = 500;
const DEPTH_MAX = 20;
const PLACEHOLDER_LENGTH_MAX = 100;

/** Checks the document of a format file. */
export function formatOf(name: string, document: unknown): FormatResult {
  const wrong = (detail: string): FormatResult => ({ ok: false, detail });
  if (!FORMAT_NAME.test(name) || name === GENERIC_FORMAT)
    return wrong(
      `the name of its file must be 1 to 64 lower-case letters, digits and hyphens, and not ${GENERIC_FORMAT}`,
    );
  if (!isObject(document)) return wrong('must be a mapping with title and body');
  const unknown = Object.keys(document).find((key) => !['title', 'escape', 'words', 'body'].includes(key));
  if (unknown !== undefined) return wrong(`unknown key ${JSON.stringify(unknown)}`);
  const { title, escape = {}, words = {}, body } = document;
  if (typeof title !== 'string' || title === '') return wrong('title: must be a text');
  if (!isTexts(escape) || Object.keys(escape).some((key) => [...key].length !== 1))
    return wrong('escape: must map single characters to texts');
  if (!isObject(words)) return wrong('words: must be a mapping');
  const known: readonly string[] = [...NOTICE_TYPES, TEST_TYPE];
  const byType: Record<string, Readonly<Record<string, string>>> = {};
  for (const [word, texts] of Object.entries(words)) {
    if (!isTexts(texts)) return wrong(`words.${word}: must map types of events to texts`);
    const stray = Object.keys(texts).find((type) => !known.includes(type));
    if (stray !== undefined) return wrong(`words.${word}: unknown type of event ${JSON.stringify(stray)}`);
    byType[word] = texts;
  }
  if (!isJson(body, 0)) return wrong('body: must be a JSON value');
  return {
    ok: true,
    format: { name, title, escape: new Map(Object.entries(escape)), words: byType, body },
  };
}

/**
 * Returns the body of a message as JSON. A placeholder names a member of the event by its path, or a word of the format.
 * One without a value becomes an empty text.
 */
export function renderMessage(format: MessageFormat, type: string, event: JsonValue): string {
  const valueOf = (path: string): string => {
    const word = Object.hasOwn(format.words, path) ? format.words[path] : undefined;
    if (word !== undefined) return Object.hasOwn(word, type) ? (word[type] ?? '') : '';
    return escaped(shortened(textAt(event, path.split('.'))), format.escape);
  };
  const render = (value: JsonValue): JsonValue => {
    if (typeof value === 'string')
      return value.replace(PLACEHOLDER, (whole, path: string) =>
        path.length > PLACEHOLDER_LENGTH_MAX ? whole : valueOf(path),
      );
    if (Array.isArray(value)) return value.map((each: JsonValue) => render(each));
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, render(each)]));
    return value;
  };
  return JSON.stringify(render(format.body));
}

function textAt(event: JsonValue, path: readonly string[]): string {
  let value: JsonValue | undefined = event;
  for (const key of path) {
    if (value === undefined || !isJsonObject(value) || !Object.hasOwn(value, key)) return '';
    value = value[key];
  }
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= VALUE_CHARACTERS_MAX
    ? text
    : `${characters.slice(0, VALUE_CHARACTERS_MAX - 1).join('')}…`;
}

const escaped = (text: string, escape: MessageFormat['escape']): string =>
  escape.size === 0 ? text : [...text].map((character) => escape.get(character) ?? character).join('');

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) && Object.values(value).every((each) => typeof each === 'string');

const isJsonObject = (value: JsonValue): value is { readonly [key: string]: JsonValue } => isObject(value);

function isJson(value: unknown, depth: number): value is JsonValue {
  if (depth > DEPTH_MAX) return false;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((each: unknown) => isJson(each, depth + 1));
  return isObject(value) && Object.values(value).every((each) => isJson(each, depth + 1));
}

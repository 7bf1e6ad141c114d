import type { Body } from '../openapi/contract.ts';
import type { Check, SchemaSet } from '../openapi/schema-set.ts';
import { refused, done, type Outcome } from '../../src/core/problems.ts';
import { parseJsonText } from '../../src/core/wire/json-text.ts';
import { pointedProblem } from '../problems.ts';
import type { Header } from './message.ts';
import { headerValues } from './message.ts';

const MAX_NESTING = 64;

/** Members of objects and elements of lists in a parsed body: a bulk request has a thousand ids. */
export const MAX_MEMBERS = 10_000;

/** Unparsed body for a handler that needs the original text. */
export interface VerbatimBody {
  readonly mediaType: string;
  readonly text: string;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads the request bodies of one operation. */
export class BodyReader {
  /** True if a request must have a body. */
  readonly isRequired: boolean;
  /** Maximum number of bytes (docs/contract/limits.md#requests). */
  readonly maxBytes: number;
  readonly #verbatim: boolean;
  readonly #mediaTypes: readonly string[];
  readonly #checks: ReadonlyMap<string, Check>;

  constructor(body: Body, schemas: SchemaSet) {
    this.isRequired = body.required;
    this.maxBytes = body.maxBytes;
    this.#verbatim = body.verbatim;
    this.#mediaTypes = [...body.content.keys()];
    this.#checks = new Map(
      [...body.content].map(([mediaType, schema]) => [mediaType, schemas.check(schema)]),
    );
  }

  /**
   * Returns the media type of a request body if the operation accepts it. Never guesses
   * (docs/dependency-hazards.md#d15-open-to-browsers-without-authentication).
   */
  mediaType(headers: readonly Header[]): Outcome<string> {
    const coded = headerValues(headers, 'content-encoding').find(
      (coding) => coding.trim().toLowerCase() !== 'identity',
    );
    if (coded !== undefined) {
      return refused(
        'unsupported-media-type',
        `the content coding ${coded.slice(0, 100)} is not supported; send the body uncompressed`,
      );
    }
    const given = headerValues(headers, 'content-type');
    const mediaType = given.length === 1 ? mediaTypeOf(given[0] ?? '') : null;
    if (mediaType !== null && this.#mediaTypes.includes(mediaType)) return done(mediaType);
    const named = given.length === 0 ? 'none is given' : `not ${given.join(', ').slice(0, 100)}`;
    return refused(
      'unsupported-media-type',
      `the content type must be ${this.#mediaTypes.join(' or ')}; ${named}`,
    );
  }

  /** Parses and validates a body. */
  read(mediaType: string, bytes: Uint8Array): Outcome<unknown> {
    const text = decode(bytes);
    if (text === null) return refused('bad-request', 'the body is not valid UTF-8');
    if (this.#verbatim) {
      const body: VerbatimBody = { mediaType, text };
      return done(body);
    }
    const value = parseJson(text);
    if (!value.ok) return value;
    if (hasHalfCharacter(text, value.value)) {
      return refused('bad-request', 'a string in the body contains an unpaired surrogate');
    }
    const errors = this.#checks.get(mediaType)?.(value.value) ?? [];
    return errors.length > 0 ? { ok: false, problem: pointedProblem('bad-request', errors) } : value;
  }
}

/** Returns type and subtype in lower case; null if the text is not UTF-8 or not a media type. */
function mediaTypeOf(text: string): string | null {
  const [type, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const charsets = parameters.filter((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charsets.every((charset) => /^charset="?utf-?8"?$/.test(charset));
  return type !== undefined && isUtf8 ? type : null;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Reports whether a string in the value is not valid Unicode, so that a client would not read back what it wrote.
 * Only escapes can cause this. The recursion is limited by the nesting check.
 */
function hasHalfCharacter(text: string, value: unknown): boolean {
  return SURROGATE_ESCAPE.test(text) && isHalf(value);
}

function isHalf(value: unknown): boolean {
  if (typeof value === 'string') return LONE_SURROGATE.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => LONE_SURROGATE.test(name) || isHalf(member));
}

/**
 * Limits nesting and members before it parses: deep input and many small members cost a parser seconds and hundreds of
 * megabytes (docs/dependency-hazards.md#d7-deep-or-large-documents).
 */
function parseJson(text: string): Outcome<unknown> {
  const parsed = parseJsonText(text, { length: Infinity, nesting: MAX_NESTING, members: MAX_MEMBERS });
  return parsed.ok
    ? done(parsed.value)
    : refused('bad-request', parsed.reason.replace(/^message: /, 'the body is '));
}

/** What a line of a process's output asks for (session_behaviours.md, 3). */
export type Directive =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'bad-progress' }
  | { readonly kind: 'status'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'unset'; readonly name: string }
  /** A variable whose value is to be hidden. Without the extension REDACTED_ENV_VARS it is not set. */
  | { readonly kind: 'redacted'; readonly name: string; readonly value: string }
  /** The action is canceled and fails. */
  | { readonly kind: 'malformed'; readonly reason: string };

/** Appended to the line of a bad progress in the log. */
export const BAD_PROGRESS_NOTE =
  ' -- ERROR: Progress must be a floating point value between 0.0 and 100.0, inclusive.';

const DIRECTIVE = /^openjd_(progress|status|fail|env|unset_env|redacted_env): (.+)$/s;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s;
const NUMBER = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
/** Directives that change variables are strict: what only looks like one is an error. */
const STRICT_WORDS = ['openjd_env', 'openjd_redacted_env', 'openjd_unset_env'];

const BAD_ASSIGNMENT = 'Failed to parse environment variable assignment.';
const BAD_NAME = 'Failed to parse environment variable name.';

/** The directive in a line, or null for plain output. */
export function parseDirective(line: string): Directive | null {
  const match = DIRECTIVE.exec(line);
  if (match === null) return lookAlike(line);
  return PARSERS.get(match[1] ?? '')?.(match[2] ?? '') ?? null;
}

const PARSERS: ReadonlyMap<string, (payload: string) => Directive> = new Map([
  ['progress', parseProgress],
  ['status', (text: string): Directive => ({ kind: 'status', text })],
  ['fail', (text: string): Directive => ({ kind: 'fail', text })],
  ['env', (payload: string) => parseAssignment('set', payload)],
  ['redacted_env', (payload: string) => parseAssignment('redacted', payload)],
  ['unset_env', parseUnset],
]);

function lookAlike(line: string): Directive | null {
  const text = line.trim().toLowerCase();
  const isMeant = STRICT_WORDS.some(
    (word) => text === word || text.startsWith(`${word}:`) || text.startsWith(`${word} `),
  );
  if (!isMeant) return null;
  return {
    kind: 'malformed',
    reason: `Open Job Description: Incorrectly formatted openjd env command (${line})`,
  };
}

function parseProgress(payload: string): Directive {
  const text = payload.trim();
  const percent = NUMBER.test(text) ? Number(text) : NaN;
  return percent >= 0 && percent <= 100 ? { kind: 'progress', percent } : { kind: 'bad-progress' };
}

/** `NAME=VALUE`, or the same as a JSON string. */
function parseAssignment(kind: 'set' | 'redacted', payload: string): Directive {
  const text = payload.replace(/^[ \t]+/, '');
  const match = ASSIGNMENT.exec(text.startsWith('"') ? parseJsonString(text) : text);
  if (match === null) return { kind: 'malformed', reason: BAD_ASSIGNMENT };
  return { kind, name: match[1] ?? '', value: match[2] ?? '' };
}

function parseUnset(payload: string): Directive {
  const name = payload.trim();
  return NAME.test(name) ? { kind: 'unset', name } : { kind: 'malformed', reason: BAD_NAME };
}

/** Empty when it is none. */
function parseJsonString(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : '';
  } catch {
    return '';
  }
}

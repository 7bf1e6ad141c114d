import type { Redactor } from './redaction.ts';

/** How much of a process's output is logged (`openjd_session_runtime_loglevel`), from the most to the least. */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a line of a process's output asks for (docs/contract/sessions.md#directives). */
export type Directive =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'bad-progress' }
  | { readonly kind: 'status'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string }
  | { readonly kind: 'level'; readonly level: LogLevel }
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'unset'; readonly name: string }
  /** A variable whose value is to be hidden. Without the extension REDACTED_ENV_VARS it is not set. */
  | { readonly kind: 'redacted'; readonly name: string; readonly value: string; readonly hides: Hidden }
  /** A `redacted` that cannot be understood. Without the extension it is malformed. */
  | { readonly kind: 'bad-redacted'; readonly reason: string; readonly hides: Hidden }
  /** The action is canceled and fails. `hides` when the line was meant as a `redacted`. */
  | { readonly kind: 'malformed'; readonly reason: string; readonly hides?: Hidden };

/** What of a line must not be seen. */
export interface Hidden {
  /** Values that are hidden from this line on. */
  readonly values: readonly string[];
  /** Of these only the beginning is known. */
  readonly beginnings: readonly string[];
  /** Characters at the beginning of the line that may be seen; the rest may not. */
  readonly shown: number;
}

/** Appended to the line of a bad progress in the log. */
const BAD_PROGRESS = 'Progress must be a floating point value between 0.0 and 100.0, inclusive.';
const BAD_ASSIGNMENT = 'Failed to parse environment variable assignment.';
const BAD_NAME = 'Failed to parse environment variable name.';
const TOO_LONG = 'The line is too long for an environment variable assignment.';

const DIRECTIVE =
  /^openjd_(progress|status|fail|env|unset_env|redacted_env|session_runtime_loglevel): (.+)$/s;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)$/;
const NUMBER = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
/** Directives that change variables are strict: what only looks like one is an error. */
const STRICT_WORDS = ['openjd_env', 'openjd_redacted_env', 'openjd_unset_env'];
const REDACTED_WORD = 'openjd_redacted_env';
/** Of a JSON string that is cut: what cannot stand at its end. */
const OPEN_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;

/** The directive in a line, or null for plain output. `isCut`: the end of the line is missing. */
export function parseDirective(line: string, isCut = false): Directive | null {
  const match = DIRECTIVE.exec(line);
  if (match === null) return lookAlike(line, isCut);
  const payload = match[2] ?? '';
  switch (match[1]) {
    case 'progress':
      return parseProgress(payload);
    case 'status':
      return { kind: 'status', text: payload };
    case 'fail':
      return { kind: 'fail', text: payload };
    case 'session_runtime_loglevel':
      return parseLevel(payload);
    case 'env':
      return parseEnv(payload, isCut);
    case 'unset_env':
      return parseUnset(payload);
    default:
      return parseRedacted(line, payload, isCut);
  }
}

/** A line as it is read: what it asks for, and how it is logged. */
export interface ReadLine {
  readonly directive: Directive | null;
  readonly logged: string;
  /** Plain output and directives are of the level INFO, what goes wrong with one is an ERROR. */
  readonly level: LogLevel;
}

/**
 * Reads a line of output. What it wants hidden is hidden from now on, in the line itself too; the texts of the directive that are told on are
 * without hidden values. `isCut`: the end of the line is missing.
 */
export function readLine(line: string, isCut: boolean, redactor: Redactor): ReadLine {
  const directive = parseDirective(line, isCut);
  if (directive === null) return { directive, logged: redactor.line(line, isCut), level: 'INFO' };
  const hides = 'hides' in directive ? directive.hides : undefined;
  for (const value of hides?.values ?? []) redactor.add(value);
  for (const value of hides?.beginnings ?? []) redactor.addBeginning(value);
  const shown = hides === undefined ? redactor.line(line, isCut) : redactor.head(line.slice(0, hides.shown));
  switch (directive.kind) {
    case 'bad-progress':
      return { directive, logged: `${shown} -- ERROR: ${BAD_PROGRESS}`, level: 'ERROR' };
    case 'malformed':
      return malformedLine(directive, shown, line);
    case 'bad-redacted':
      return { directive, logged: shown, level: 'ERROR' };
    case 'status':
    case 'fail': {
      const text = redactor.line(directive.text, isCut);
      return { directive: { kind: directive.kind, text }, logged: shown, level: 'INFO' };
    }
    default:
      return { directive, logged: shown, level: 'INFO' };
  }
}

function malformedLine(
  { kind, reason }: Extract<Directive, { kind: 'malformed' }>,
  shown: string,
  line: string,
): ReadLine {
  // The reason may hold the line.
  const told = { kind, reason: reason.replace(line, () => shown) };
  return { directive: told, logged: `${shown} -- ERROR: ${told.reason}`, level: 'ERROR' };
}

function lookAlike(line: string, isCut: boolean): Directive | null {
  const text = line.trim().toLowerCase();
  const word = STRICT_WORDS.find(
    (each) => text === each || text.startsWith(`${each}:`) || text.startsWith(`${each} `),
  );
  if (word === undefined) return null;
  const reason = `Open Job Description: Incorrectly formatted openjd env command (${line})`;
  if (word !== REDACTED_WORD) return { kind: 'malformed', reason };
  const begin = line.length - line.trimStart().length + word.length;
  const payload = line.slice(begin).replace(/^[: \t]+/, '');
  if (payload === '') return { kind: 'malformed', reason };
  return { kind: 'malformed', reason, hides: hiddenOf(line, payload, isCut) };
}

function parseProgress(payload: string): Directive {
  const text = payload.trim();
  const percent = NUMBER.test(text) ? Number(text) : NaN;
  return percent >= 0 && percent <= 100 ? { kind: 'progress', percent } : { kind: 'bad-progress' };
}

function parseLevel(payload: string): Directive | null {
  const word = payload.trim().toUpperCase();
  const level = LOG_LEVELS.find((each) => each === word);
  return level === undefined ? null : { kind: 'level', level };
}

function parseEnv(payload: string, isCut: boolean): Directive {
  if (isCut) return { kind: 'malformed', reason: TOO_LONG };
  const assigned = assignmentOf(payload);
  return assigned === null ? { kind: 'malformed', reason: BAD_ASSIGNMENT } : { kind: 'set', ...assigned };
}

function parseRedacted(line: string, payload: string, isCut: boolean): Directive {
  const hides = hiddenOf(line, payload, isCut);
  if (isCut) return { kind: 'bad-redacted', reason: TOO_LONG, hides };
  const assigned = assignmentOf(payload);
  if (assigned === null) return { kind: 'bad-redacted', reason: BAD_ASSIGNMENT, hides };
  const { name, value } = assigned;
  const raw = payload.trimStart().startsWith('"') ? hides.values : [];
  return { kind: 'redacted', name, value, hides: { ...hides, values: value === '' ? [] : [value, ...raw] } };
}

function parseUnset(payload: string): Directive {
  const name = payload.trim();
  return NAME.test(name) ? { kind: 'unset', name } : { kind: 'malformed', reason: BAD_NAME };
}

/** `NAME=VALUE`, or the same as a JSON string. */
function assignmentOf(payload: string): { readonly name: string; readonly value: string } | null {
  const text = payload.replace(/^[ \t]+/, '');
  const match = ASSIGNMENT.exec(text.startsWith('"') ? (parseJsonString(text) ?? '') : text);
  return match === null ? null : { name: match[1] ?? '', value: match[2] ?? '' };
}

/** As much as possible of what a payload may have meant to hide: what follows the first `=`, or all of it. */
function hiddenOf(line: string, payload: string, isCut: boolean): Hidden {
  const raw = secretOf(payload);
  const start = line.length - raw.length;
  const unquoted = raw.trim().replace(/^["']|["']$/g, '');
  const texts = [raw, raw.trim(), unquoted];
  const decoded = decodedSecret(payload);
  if (decoded !== null) texts.push(decoded, ...decoded.split('\0'));
  const values = texts.filter((text) => text !== '');
  return isCut ? { values: [], beginnings: values, shown: start } : { values, beginnings: [], shown: start };
}

function secretOf(payload: string): string {
  const text = payload.trimStart();
  const equals = text.indexOf('=');
  return equals === -1 ? text : text.slice(equals + 1);
}

/** What a JSON string, or the beginning of one, hides; null when it is none. */
function decodedSecret(payload: string): string | null {
  const text = payload.trim();
  if (!text.startsWith('"')) return null;
  const whole = parseJsonString(text) ?? parseJsonString(`${text.replace(OPEN_ESCAPE, '')}"`);
  return whole === null ? null : secretOf(whole);
}

/** Null when it is none. */
function parseJsonString(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

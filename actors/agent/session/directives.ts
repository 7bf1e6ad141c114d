import { outputPathWrong } from '../../../src/core/records/task-output.ts';
import type { Redactor } from './redaction.ts';

/** Log levels of a process's output (`openjd_session_runtime_loglevel`), from the most verbose. */
export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The directive of an output line (docs/contract/sessions.md#directives). */
export type Directive =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'bad-progress' }
  | { readonly kind: 'status'; readonly text: string }
  | { readonly kind: 'fail'; readonly text: string }
  /** A file or directory that the task has written (docs/outputs.md). */
  | { readonly kind: 'output'; readonly path: string }
  | { readonly kind: 'bad-output'; readonly reason: string }
  | { readonly kind: 'level'; readonly level: LogLevel }
  | { readonly kind: 'set'; readonly name: string; readonly value: string }
  | { readonly kind: 'unset'; readonly name: string }
  /** A variable whose value is redacted. It is set only with the extension REDACTED_ENV_VARS. */
  | { readonly kind: 'redacted'; readonly name: string; readonly value: string; readonly hides: Hidden }
  /** An invalid `redacted`. Without the extension it is `malformed`. */
  | { readonly kind: 'bad-redacted'; readonly reason: string; readonly hides: Hidden }
  /** Cancels and fails the action. With `hides` if the line was meant as a `redacted`. */
  | { readonly kind: 'malformed'; readonly reason: string; readonly hides?: Hidden };

/** The parts of a line that must not be visible. */
export interface Hidden {
  /** Values that are redacted from this line on. */
  readonly values: readonly string[];
  /** Values of which only the beginning is known. */
  readonly beginnings: readonly string[];
  /** Number of characters at the beginning of the line that may be visible; the rest may not. */
  readonly shown: number;
}

/** Appended to the logged line of an invalid progress. */
const BAD_PROGRESS = 'Progress must be a floating point value between 0.0 and 100.0, inclusive.';
const BAD_ASSIGNMENT = 'Failed to parse environment variable assignment.';
const BAD_NAME = 'Failed to parse environment variable name.';
const TOO_LONG = 'The line is too long for an environment variable assignment.';

const DIRECTIVE =
  /^openjd_(progress|status|fail|env|unset_env|redacted_env|session_runtime_loglevel): (.+)$/s;
const OUTPUT = /^callsheet_output: (.+)$/s;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=([^\0]*)$/;
const NUMBER = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
/** Directives that change variables are strict: a line that resembles one is an error. */
const STRICT_WORDS = ['openjd_env', 'openjd_redacted_env', 'openjd_unset_env'];
const REDACTED_WORD = 'openjd_redacted_env';
/** An incomplete escape at the end of a truncated JSON string. */
const OPEN_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;

/** Parses the directive of a line. Returns null for plain output. `isCut`: the end of the line is missing. */
export function parseDirective(line: string, isCut = false): Directive | null {
  const match = DIRECTIVE.exec(line);
  if (match === null) return parseOutput(line, isCut) ?? parseLookAlike(line, isCut);
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

/** A line after parsing: its directive and its logged form. */
export interface ReadLine {
  readonly directive: Directive | null;
  readonly logged: string;
  /** INFO for plain output and valid directives, ERROR for invalid ones. */
  readonly level: LogLevel;
}

/**
 * Reads a line of output. Values that it hides are redacted from now on, in the line itself too and in the texts of the
 * returned directive. `isCut`: the end of the line is missing.
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
    case 'output': {
      const path = redactor.line(directive.path, isCut);
      return { directive: { kind: 'output', path }, logged: shown, level: 'INFO' };
    }
    case 'bad-output':
      return { directive, logged: `${shown} -- ERROR: The output ${directive.reason}.`, level: 'ERROR' };
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
  // The reason may contain the line.
  const redacted = { kind, reason: reason.replace(line, () => shown) };
  return { directive: redacted, logged: `${shown} -- ERROR: ${redacted.reason}`, level: 'ERROR' };
}

function parseLookAlike(line: string, isCut: boolean): Directive | null {
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

function parseOutput(line: string, isCut: boolean): Directive | null {
  const path = OUTPUT.exec(line)?.[1]?.trim();
  if (path === undefined) return null;
  const reason = isCut ? 'is cut off, because its line is too long' : outputPathWrong(path);
  return reason === null ? { kind: 'output', path } : { kind: 'bad-output', reason };
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

/** Parses `NAME=VALUE`, or the same as a JSON string. Returns null if invalid. */
function assignmentOf(payload: string): { readonly name: string; readonly value: string } | null {
  const text = payload.replace(/^[ \t]+/, '');
  const match = ASSIGNMENT.exec(text.startsWith('"') ? (parseJsonString(text) ?? '') : text);
  return match === null ? null : { name: match[1] ?? '', value: match[2] ?? '' };
}

/** Returns everything that a payload may have meant to hide: the text after the first `=`, or all of it. */
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

/** Returns the part to hide of a JSON string, which may be truncated, or null for other text. */
function decodedSecret(payload: string): string | null {
  const text = payload.trim();
  if (!text.startsWith('"')) return null;
  const whole = parseJsonString(text) ?? parseJsonString(`${text.replace(OPEN_ESCAPE, '')}"`);
  return whole === null ? null : secretOf(whole);
}

/** Returns null for text that is not a JSON string. */
function parseJsonString(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

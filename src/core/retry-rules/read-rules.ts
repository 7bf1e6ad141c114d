import type { RegexEngine } from '../../openjd/expr/regex/regex-engine.ts';
import { pointerTo, type PointedError } from '../../openjd/primitives/pointed-error.ts';
import {
  RETRY_ACTIONS,
  RETRY_RULE_DEFAULTS,
  RETRY_RULE_LIMITS as LIMITS,
  type RaiseOf,
  type RetryAction,
  type RetryRule,
} from './retry-rule.ts';

export type ReadRules =
  | { readonly ok: true; readonly rules: readonly RetryRule[] }
  | { readonly ok: false; readonly errors: readonly PointedError[] };

const MEMBERS: readonly string[] = [
  'name',
  'match',
  'action',
  'max_times',
  'backoff_seconds',
  'pool',
  'amount',
  'factor',
  'max_amount',
];
const CONDITIONS: readonly string[] = ['exit_codes', 'log', 'out_of_memory'];
/** Members that only some actions have. */
const ONLY_WITH: Readonly<Record<string, readonly RetryAction[]>> = {
  max_times: ['requeue', 'avoid_worker', 'raise'],
  backoff_seconds: ['requeue', 'avoid_worker', 'raise'],
  pool: ['requeue'],
  amount: ['raise'],
  factor: ['raise'],
  max_amount: ['raise'],
};
const NAME = /^[A-Za-z0-9][A-Za-z0-9 _.-]*$/;
const POOL = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const POOL_CHARACTERS = 76;
const AMOUNT = /^amount\.[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$/;
const AMOUNT_CHARACTERS = 100;
const EXIT_CODE_MAX = 2 ** 32 - 1;
const EXIT_CODE_MIN = -(2 ** 31);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a list of retry rules from JSON or YAML data. `pointer` is that of the list. Each error names the member and what
 * is wrong with it; a member that rules do not have is an error, because it is most likely misspelled.
 */
export function readRetryRules(value: unknown, pointer: string, regex: RegexEngine): ReadRules {
  const errors: PointedError[] = [];
  if (!Array.isArray(value))
    return { ok: false, errors: [{ pointer, detail: 'must be a list of retry rules' }] };
  if (value.length > LIMITS.rules)
    return {
      ok: false,
      errors: [{ pointer, detail: `must not have more than ${LIMITS.rules} rules, and has ${value.length}` }],
    };
  const rules = value.map((each: unknown, at) =>
    new RuleReader(`${pointer}/${at}`, errors, regex).read(each),
  );
  const names = new Map<string, number>();
  for (const [at, rule] of rules.entries()) {
    if (rule === null) continue;
    const before = names.get(rule.name);
    if (before !== undefined)
      errors.push({ pointer: `${pointer}/${at}/name`, detail: `is also the name of rule ${before}` });
    names.set(rule.name, at);
  }
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, rules: rules.filter((rule) => rule !== null) };
}

/** Reads one rule and collects what is wrong with it. */
class RuleReader {
  private readonly pointer: string;
  private readonly errors: PointedError[];
  private readonly regex: RegexEngine;

  constructor(pointer: string, errors: PointedError[], regex: RegexEngine) {
    this.pointer = pointer;
    this.errors = errors;
    this.regex = regex;
  }

  read(value: unknown): RetryRule | null {
    if (!isFields(value)) return this.wrong('', 'must be a mapping');
    const before = this.errors.length;
    this.rejectUnknown('', value, MEMBERS, 'a retry rule');
    const action = this.action(value['action']);
    if (action === null) return null;
    for (const [member, actions] of Object.entries(ONLY_WITH))
      if (value[member] !== undefined && !actions.includes(action))
        this.wrong(`/${member}`, `has no meaning with the action ${action}`);
    const conditions = this.conditions(value['match']);
    const name =
      this.text(value, 'name', LIMITS.nameCharacters, NAME, 'letters, digits, blanks and _ . -') ?? '';
    if (value['name'] === undefined) this.wrong('/name', 'is missing');
    const defaults = RETRY_RULE_DEFAULTS[action];
    const maxTimes = this.integer(value, 'max_times', 1, LIMITS.maxTimes) ?? defaults.maxTimes;
    const backoffSeconds =
      this.integer(value, 'backoff_seconds', 0, LIMITS.backoffSeconds) ?? defaults.backoffSeconds;
    const pool =
      this.text(value, 'pool', POOL_CHARACTERS, POOL, 'names of letters, digits and _, with dots') ?? '';
    if (pool !== '' && backoffSeconds === 0)
      this.wrong(
        '/backoff_seconds',
        'must be at least 1 with a pool: it is the time for which the pool is held back',
      );
    const raise = action === 'raise' ? this.raise(value) : null;
    if (this.errors.length > before || conditions === null) return null;
    return { name, ...conditions, action, maxTimes, backoffSeconds, pool: pool.toLowerCase(), raise };
  }

  private action(value: unknown): RetryAction | null {
    const action = RETRY_ACTIONS.find((each) => each === value);
    return action ?? this.wrong('/action', `must be one of ${RETRY_ACTIONS.join(', ')}`);
  }

  private conditions(value: unknown): Pick<RetryRule, 'exitCodes' | 'log' | 'outOfMemory'> | null {
    if (!isFields(value))
      return this.wrong('/match', `must be a mapping with one of ${CONDITIONS.join(', ')}`);
    this.rejectUnknown('/match', value, CONDITIONS, 'the conditions of a rule');
    const { exit_codes: codes = [], log = '', out_of_memory: outOfMemory = false } = value;
    const exitCodes = this.exitCodes(codes);
    if (typeof outOfMemory !== 'boolean') return this.wrong('/match/out_of_memory', 'must be true or false');
    if (typeof log !== 'string') return this.wrong('/match/log', 'must be a pattern, as text');
    if (log.length > LIMITS.logCharacters)
      return this.wrong('/match/log', `must not have more than ${LIMITS.logCharacters} characters`);
    if (exitCodes.length === 0 && log === '' && !outOfMemory)
      return this.wrong('/match', `needs at least one of ${CONDITIONS.join(', ')}`);
    const compiled = this.regex.compile(log);
    if (!compiled.ok)
      return this.wrong('/match/log', `is not a pattern in the syntax of RE2: ${compiled.detail}`);
    return { exitCodes, log, outOfMemory };
  }

  private exitCodes(codes: unknown): readonly number[] {
    if (!Array.isArray(codes) || codes.length > LIMITS.exitCodes) {
      this.wrong('/match/exit_codes', `must be a list of at most ${LIMITS.exitCodes} exit codes`);
      return [];
    }
    return codes.flatMap((code: unknown, at) => {
      if (Number.isInteger(code) && Number(code) >= EXIT_CODE_MIN && Number(code) <= EXIT_CODE_MAX)
        return [Number(code)];
      this.wrong(`/match/exit_codes/${at}`, 'must be an exit code: an integer');
      return [];
    });
  }

  private raise(value: Fields): RaiseOf | null {
    const amount = this.text(value, 'amount', AMOUNT_CHARACTERS, AMOUNT, 'such as amount.worker.memory');
    if (amount === null) return this.wrong('/amount', 'is missing: it names the amount to raise');
    const name = amount.toLowerCase();
    if (name === 'amount.worker.vcpu') return this.wrong('/amount', 'cannot be the cores of a task');
    if (name.startsWith('amount.worker.usagepool.')) return this.wrong('/amount', 'cannot be a usage pool');
    const factor = this.number(value, 'factor', LIMITS.factor);
    if (factor === null || factor <= 1) return this.wrong('/factor', 'must be a number above 1');
    return { amount: name, factor, maxAmount: this.number(value, 'max_amount', LIMITS.amount) };
  }

  private text(value: Fields, member: string, length: number, form: RegExp, formText: string): string | null {
    const text = value[member];
    if (text === undefined) return null;
    if (typeof text === 'string' && text.length <= length && form.test(text)) return text;
    return this.wrong(`/${member}`, `must be text of at most ${length} characters: ${formText}`);
  }

  private integer(value: Fields, member: string, min: number, max: number): number | null {
    const number = value[member];
    if (number === undefined) return null;
    if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max)
      return number;
    return this.wrong(`/${member}`, `must be an integer from ${min} to ${max}`);
  }

  private number(value: Fields, member: string, max: number): number | null {
    const number = value[member];
    if (number === undefined) return null;
    if (typeof number === 'number' && number > 0 && number <= max) return number;
    return this.wrong(`/${member}`, `must be a number above 0, at most ${max}`);
  }

  private rejectUnknown(pointer: string, value: Fields, members: readonly string[], what: string): void {
    for (const key of Object.keys(value))
      if (!members.includes(key))
        this.wrong(
          `${pointer}${pointerTo([key])}`,
          `is not a member of ${what}; members are ${members.join(', ')}`,
        );
  }

  private wrong(pointer: string, detail: string): null {
    this.errors.push({ pointer: `${this.pointer}${pointer}`, detail });
    return null;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

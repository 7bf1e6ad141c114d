import { suggestion } from '../primitives/nearest.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

/**
 * Names of host capabilities (specification, sections 3.3.1.1 and 3.3.2.1; docs/contract/openjd.md#host-requirements).
 */
type CapabilityKind = 'amount' | 'attr';

const WORD = '[A-Za-z_][A-Za-z0-9_]*';
const NAME = new RegExp(`^(?:(${WORD}):)?(amount|attr)((?:\\.${WORD})+)$`, 'i');
const RESERVED_SCOPES: readonly string[] = ['worker', 'job', 'step', 'task'];
/** Of a name that an operator chooses; templates have the limits of docs/contract/limits.md. */
const NAME_LENGTH_MAX = 100;
/** Vendor prefix of this service's capabilities in reserved scopes. */
const OWN_VENDOR = 'svc';

/** Its values need not be identifiers: `12`, `10.0.22631` (docs/contract/openjd.md#host-requirements). */
export const OS_VERSION = 'attr.worker.os.version';

const STANDARD: readonly string[] = [
  'amount.worker.vcpu',
  'amount.worker.memory',
  'amount.worker.gpu',
  'amount.worker.gpu.memory',
  'amount.worker.disk.scratch',
  'attr.worker.os.family',
  OS_VERSION,
  'attr.worker.cpu.arch',
  'attr.worker.computelocation',
];
const STANDARD_PREFIXES: readonly string[] = ['attr.worker.tag.', 'amount.worker.usagepool.'];

export const VCPU = 'amount.worker.vcpu';
export const GPU = 'amount.worker.gpu';
export const GPU_MEMORY = 'amount.worker.gpu.memory';
export const COMPUTE_LOCATION = 'attr.worker.computelocation';
/** Parts of isolation that apply to the tasks of a worker: `true` (docs/isolation.md#capabilities). */
export const ISOLATION_PREFIX = 'svc:attr.worker.isolation.';
/** Extensions of OpenJD that a worker runs, if they need more of it than other templates do: `true` (docs/capabilities.md). */
export const EXTENSION_PREFIX = 'svc:attr.worker.extension.';
export const USAGE_POOL_PREFIX = 'amount.worker.usagepool.';

/** Attributes with a fixed set of values, of which a host has exactly one. */
export const FIXED_VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['attr.worker.os.family', ['linux', 'windows', 'macos']],
  ['attr.worker.cpu.arch', ['x86_64', 'arm64']],
]);

/** Returns the possible values of a standard attribute, or undefined if any value is allowed. `name` in lower case. */
export const fixedValuesOf = (name: string): readonly string[] | undefined => FIXED_VALUES.get(name);

/** Returns why a name is not a valid capability of the kind, or null. Names are case-insensitive. */
export function capabilityNameWrong(name: string, kind: CapabilityKind, maxLength: number): string | null {
  if (name.length > maxLength)
    return `must not have more than ${maxLength} characters, and has ${name.length}`;
  const match = NAME.exec(name);
  if (match?.[2]?.toLowerCase() !== kind)
    return `must have the form ${kind}.<name>, with more names after dots and an optional prefix <vendor>:`;
  const path = `${kind}${match[3] ?? ''}`.toLowerCase();
  const scope = path.split('.')[1] ?? '';
  if (!RESERVED_SCOPES.includes(scope)) return null;
  if (match[1]?.toLowerCase() === OWN_VENDOR) return null;
  if (
    match[1] === undefined &&
    (STANDARD.includes(path) || STANDARD_PREFIXES.some((prefix) => path.startsWith(prefix)))
  ) {
    return null;
  }
  const known = STANDARD.filter((each) => each.startsWith(`${kind}.`));
  return `the scope "${scope}" is reserved, and it has no ${kind === 'amount' ? 'amount' : 'attribute'} of this name${suggestion(path, known)}`;
}

/**
 * Returns why a farm cannot book the amount besides cores, or null: cores are always booked, and usage pools have slots.
 * `name` in lower case.
 */
export function bookedAmountWrong(name: string): string | null {
  if (name === VCPU) return 'is always booked';
  if (name.startsWith(USAGE_POOL_PREFIX)) return 'is a usage pool, which has slots of its own';
  return capabilityNameWrong(name, 'amount', NAME_LENGTH_MAX);
}

/** Returns why an operator cannot give a worker the amount, or null: others have a setting of their own. */
export function customAmountWrong(name: string): string | null {
  if (STANDARD.includes(name.toLowerCase())) return 'is an amount with a setting of its own';
  return bookedAmountWrong(name.toLowerCase());
}

/**
 * Returns the pattern of a valid name of a capability of the kind. `anyCase` returns the pattern of a text in upper and
 * lower case.
 */
export function capabilityPattern(kind: CapabilityKind, anyCase: (text: string) => string): string {
  const own = `${anyCase(`${OWN_VENDOR}:${kind}`)}(?:\\.${WORD})+`;
  const reserved = RESERVED_SCOPES.map(anyCase).join('|');
  const free = `(?:${WORD}:)?${anyCase(kind)}\\.(?!(?:${reserved})(?:\\.|$))${WORD}(?:\\.${WORD})*`;
  const standard = STANDARD.filter((name) => name.startsWith(`${kind}.`)).map(anyCase);
  const prefixed = STANDARD_PREFIXES.filter((name) => name.startsWith(`${kind}.`)).map(
    (prefix) => `${anyCase(prefix)}${WORD}(?:\\.${WORD})*`,
  );
  return `^(?:${[own, free, ...standard, ...prefixed].join('|')})$`;
}

/** Value of any other attribute. */
export const ATTRIBUTE_VALUE = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const PRINTABLE = /^\P{C}+$/u;

/**
 * Returns why a resolved text is not a valid value of the attribute (section 3.3.2.2), or null. `name` in lower case.
 */
export function attributeValueWrong(name: string, value: string, maxLength: number): string | null {
  if (value === '') return 'must not be empty';
  if (value.length > maxLength)
    return `must not have more than ${maxLength} characters, and has ${value.length}`;
  if (name === OS_VERSION) return PRINTABLE.test(value) ? null : 'must have printable characters only';
  if (!ATTRIBUTE_VALUE.test(value))
    return 'must have letters, digits, _ and - only, and begin with a letter or _';
  const fixed = fixedValuesOf(name);
  if (fixed !== undefined && !fixed.includes(value.toLowerCase()))
    return `must be one of ${fixed.join(', ')}, not ${quoteForMessage(value)}`;
  return null;
}

import {
  EXTRA_EXTENSIONS,
  isKnownExtension,
  type ExtensionName,
  type SupportedFeatures,
} from '../extensions.ts';
import type { Findings } from '../findings.ts';
import { itemOf, memberOf, type Located } from '../located.ts';
import { suggestion } from '../../primitives/nearest.ts';
import { quoteForMessage } from '../../primitives/text-rules.ts';

/** Versions by the kind of the template. */
export const VERSIONS = { job: 'jobtemplate-2023-09', environment: 'environment-2023-09' } as const;

export type TemplateKind = keyof typeof VERSIONS;

const INSTEAD = {
  job: '; an environment template is given with a job template, or belongs to a queue',
  environment: '; this must be an environment template, not a job template',
} as const;

/** Specification, section 1.1.2. */
const EXTENSION_NAME = /^[A-Z_0-9]{3,128}$/;

/**
 * Pass 1: the language of the document (specification, sections 1.1 and 1.1.2;
 * docs/contract/openjd.md#environment-templates). Returns the declared extensions; undefined if the rest of the
 * document cannot be checked.
 */
export function checkVersionAndExtensions(
  findings: Findings,
  root: Located,
  supported: SupportedFeatures,
  kind: TemplateKind = 'job',
): ReadonlySet<string> | undefined {
  if (root.node.kind !== 'mapping') {
    findings.add(root, 'a template must be a mapping of keys to values');
    return undefined;
  }
  const version = member(root, 'specificationVersion');
  if (version === undefined) {
    findings.add(root, `"specificationVersion" is required; write ${VERSIONS[kind]}`);
    return undefined;
  }
  const given = version.node.kind === 'string' ? version.node.value : null;
  if (given !== VERSIONS[kind]) {
    const isOther = Object.values(VERSIONS).some((other) => other === given);
    findings.add(version, `must be ${quoteForMessage(VERSIONS[kind])}${isOther ? INSTEAD[kind] : ''}`);
    return undefined;
  }
  const before = findings.count;
  const extensions = checkExtensions(findings, member(root, 'extensions'), supported);
  return findings.count === before ? extensions : undefined;
}

function checkExtensions(
  findings: Findings,
  at: Located | undefined,
  supported: SupportedFeatures,
): ReadonlySet<string> {
  const names = new Set<string>();
  if (at === undefined || at.node.kind === 'null') return names;
  if (at.node.kind !== 'sequence') {
    findings.add(at, 'must be a list of extension names');
    return names;
  }
  if (at.node.items.length === 0) findings.add(at, 'must have at least one element');
  for (const [index, node] of at.node.items.entries()) {
    const item = itemOf(at, node, index);
    if (node.kind !== 'string' || !EXTENSION_NAME.test(node.value)) {
      findings.add(item, 'must be the name of an extension: 3 to 128 of A-Z, 0-9 and _');
    } else if (names.has(node.value)) {
      findings.add(item, `${quoteForMessage(node.value)} is declared twice`);
    } else {
      names.add(node.value);
      const { value } = node;
      if (!isKnownExtension(value)) {
        findings.add(
          item,
          `unknown extension ${quoteForMessage(value)}${suggestion(value, supported.extensions) || `; known are ${supported.extensions.join(', ')}`}`,
        );
      } else if (!supported.extensions.includes(value)) {
        findings.add(item, notAccepted(value));
      }
    }
  }
  for (const [index, node] of at.node.items.entries()) {
    if (node.kind === 'string' && node.value === 'WRAP_ACTIONS' && !names.has('EXPR'))
      findings.add(itemOf(at, node, index), 'WRAP_ACTIONS requires the extension EXPR; list EXPR as well');
  }
  return names;
}

function notAccepted(name: ExtensionName): string {
  const isExtra = EXTRA_EXTENSIONS.some((extra) => extra === name);
  return isExtra
    ? `the extension ${name} is not accepted here; the operator of a service admits it with openjd.extra_extensions`
    : `the extension ${name} is not accepted here`;
}

function member(root: Located, key: string): Located | undefined {
  if (root.node.kind !== 'mapping') return undefined;
  const entry = root.node.entries.find((candidate) => candidate.key === key);
  return entry === undefined ? undefined : memberOf(root, entry);
}

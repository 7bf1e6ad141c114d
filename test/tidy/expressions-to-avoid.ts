import { textsOfPage, textsOfSource, type Text } from './texts.ts';

/** Expressions that are hard to understand for new readers, and what to write instead (docs/writing.md). */
export const EXPRESSIONS = {
  anew: { pattern: /\banew\b/, instead: 'again, from scratch, re-create' },
  told: {
    pattern: /\b(?:is|are|was|were|be|been|being) (?:told|said|heard)\b|\btold of\b/,
    instead: 'notified, sent, published, logged, received',
  },
  body: { pattern: /\b(?:[Nn]o|[Ss]ome|[Ee]very)body\b|\b[Ww]hoever\b/, instead: 'name the actor' },
  what: { pattern: /^What (?!if\b)(?![^.]*\?)/, instead: 'start with a noun or a verb', comments: true },
  many: { pattern: /\b[Ss]o (?:many|often)\b(?! (?:as|that)\b)/, instead: 'n, this many, up to n' },
  isno: {
    pattern:
      /(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|larger\b|need\b|way\b|such\b|room\b|one\b|other\b|reason\b|later\b|earlier\b)[a-z]+/,
    instead: 'is not a valid x; 0 means no limit',
  },
  none: {
    pattern: /\b(?:that|it|which|who) (?:is|are|was|were|has|have) none\b/,
    instead: 'invalid, missing, empty',
  },
  odd: {
    pattern: /\b(?:bef[ae]ll(?:s|en)?|deeds?|mend(?:s|ed|ing)?|seldom|for ever)\b/,
    instead: 'happens to, action, fix, rarely, forever',
  },
  ride: { pattern: /\b(?:rides?|rode|riding)\b(?!\|)/, instead: 'piggyback, is sent with' },
  house: { pattern: /\bhouses?\b/, instead: 'fixture, project' },
  letgo: { pattern: /\b[Ll]et(?:s|ting)? (?:out|go)\b/, instead: 'flush, publish, release' },
  toend: {
    pattern: /\b(?:brings?|brought|comes?|came) (?:\w+ ){0,4}to (?:its|their|an) end\b/,
    instead: 'finish, end',
  },
  goon: {
    pattern: /\b(?:[Gg]o|goes|went|going) on\b(?! (?:the|a|an|its|top|line|that)\b)/,
    instead: 'continue',
  },
  over: {
    pattern: /\b(?:is|are|was|were) over(?=[.,;:)]|$| (?:and|or|when|before|while)\b)/,
    instead: 'has ended, expired, is terminal',
  },
  gone: { pattern: /\b(?:is|are|was|were) (?:away|gone)\b/, instead: 'unreachable, deleted, has exited' },
  takeup: {
    pattern: /\b(?:[Tt]ak(?:e|es|en|ing)|took) up\b(?! (?:to|a|an|room|space|much)\b)/,
    instead: 'recover, load, resume',
  },
  stand: {
    pattern: /\b(?:stands?|lies?)\b(?! (?:for|alone|in for|still|by)\b)(?=[ .,;:)]|$)/,
    instead: 'is, is stored, is located',
  },
  beside: { pattern: /\bbeside\b/, instead: 'besides, next to, in addition to' },
  words: { pattern: /\bin words\b/, instead: 'as text' },
  again: {
    pattern: /\b(?:is|are|was|were|be|been) tried again\b|\b[Tt]ries (?:\w+ ){0,4}again\b/,
    instead: 'is retried',
  },
  handout: { pattern: /\bhand(?:s|ed|ing)? out\b/, instead: 'assign, lease' },
  most: { pattern: /\bat the most\b/, instead: 'at most' },
  works: {
    pattern: /\b(?:is|are|was|were) worked\b(?! out)|\bworks (?:messages|one|them|due)\b/,
    instead: 'is processed, processes',
  },
  press: { pattern: /^Press\b|: press\b/, instead: 'Select', pages: true },
} as const satisfies Record<
  string,
  { pattern: RegExp; instead: string; comments?: boolean; pages?: boolean }
>;

export type ExpressionId = keyof typeof EXPRESSIONS;

export interface Hit {
  readonly id: ExpressionId;
  readonly line: number;
  readonly text: string;
}

/** Removes the markers of a comment. Returns one entry per line: `what` checks only the first. */
const linesOf = (text: Text): string[] =>
  text.kind === 'comment'
    ? text.text
        .split('\n')
        .map((line) => line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)\s?/, '').replace(/\s*\*\/$/, ''))
    : text.text.split('\n');

const withoutCodeSpans = (line: string): string => line.replaceAll(/`[^`]*`/g, '``');

/** Reports every expression to avoid in a source (`.ts`, `.tsx`) or a Markdown page. A line with `wording-ok:` is skipped. */
export function hitsIn(file: string, content: string): Hit[] {
  const lines = content.split('\n');
  const texts = file.endsWith('.md') ? textsOfPage(content) : textsOfSource(file, content);
  const hits: Hit[] = [];
  for (const text of texts) {
    const parts = linesOf(text);
    const first = parts.findIndex((part) => part.trim() !== '');
    for (const [index, part] of parts.entries()) {
      const line = text.line + index;
      if (lines[line - 1]?.includes('wording-ok:') === true) continue;
      for (const [id, rule] of Object.entries(EXPRESSIONS) as [
        ExpressionId,
        (typeof EXPRESSIONS)[ExpressionId],
      ][]) {
        if ('comments' in rule && (text.kind !== 'comment' || index !== first)) continue;
        if ('pages' in rule && (text.kind !== 'string' || !file.startsWith('web/'))) continue;
        if (rule.pattern.test(withoutCodeSpans(part).trim())) hits.push({ id, line, text: part.trim() });
      }
    }
  }
  return hits;
}

import { markdownText } from '../../../cli/terminal/markdown-text.ts';
import { parseMarkdown } from '../../../src/core/markdown/parse-markdown.ts';
import type { AttackReport, AttackRow } from '../attack.ts';
import { runAttacks, spread, type Attack } from '../attack-table.ts';
import { hostileReadmes } from './hostile-readmes.ts';
import { renderReadmes } from './readme-page.ts';

const SCHEMES = ['http:', 'https:', 'mailto:'];
const NOT_FOR_TERMINALS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Attacks the tree of a readme and its text on a terminal. */
const attackOf = (readme: string): Attack<undefined> => ({
  name: JSON.stringify(readme.slice(0, 200)),
  run: async () => {
    const inlines = parseMarkdown(readme).flatMap((block) => {
      if (block.kind === 'code') return [];
      return block.kind === 'list' ? block.items.flat() : block.content;
    });
    for (const inline of inlines)
      if (inline.kind === 'link' && !SCHEMES.includes(new URL(inline.href).protocol))
        throw new Error(`links to ${inline.href}`);
    const shown = markdownText(readme, { columns: 80, colors: false });
    if (NOT_FOR_TERMINALS.test(shown)) throw new Error(`reaches a terminal as ${JSON.stringify(shown)}`);
  },
});

/** Renders `count` hostile readmes for a terminal and in one page of Chromium. */
export async function runReadmes(count: number): Promise<AttackReport> {
  const all = hostileReadmes();
  const readmes = spread(
    all.map((readme) => ({ name: readme, run: () => Promise.resolve() })),
    count,
  ).map(({ name }) => name);
  const { tried, violations } = await runAttacks(readmes.map(attackOf), undefined);
  return { tried, violations: [...violations, ...(await renderReadmes(readmes))] };
}

export const markdownRows: readonly AttackRow[] = [
  {
    id: 'T28',
    title: 'readmes that run scripts or change a terminal',
    full: hostileReadmes().length,
    run: runReadmes,
  },
];

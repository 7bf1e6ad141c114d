/** Turns the pages of docs/ into the sources of the static site. */
import { posix } from 'node:path';

const FENCE = /^(```|~~~)[^]*?^\1\s*$/gm;

/** Applies a function to the parts of a page outside of fenced code. */
function outsideFences(markdown, change) {
  let changed = '';
  let from = 0;
  for (const fence of markdown.matchAll(FENCE)) {
    changed += change(markdown.slice(from, fence.index)) + fence[0];
    from = fence.index + fence[0].length;
  }
  return changed + change(markdown.slice(from));
}

/**
 * Returns the text of a page for the site: the README.md of a folder is its index, comments are removed, and links to files outside of docs/
 * become their paths.
 *
 * @param {string} markdown
 * @param {string} folder of the page, relative to docs/; empty for docs/ itself
 */
export function sitePage(markdown, folder) {
  return outsideFences(markdown, (text) =>
    text
      .replaceAll(/<!--[^]*?-->\n*/g, '')
      .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (link, label, target) => {
        if (/^(?:[a-z]+:|#)/.test(target)) return link;
        const path = posix.join(folder, target);
        if (path.startsWith('../')) return `${label} (\`${path.slice('../'.length)}\`)`;
        return `[${label}](${target.replace(/README\.md(?=#|$)/, 'index.md')})`;
      }),
  );
}

/**
 * Returns the sidebar from the index of the documentation: a group for each heading with the links below it.
 *
 * @param {string} index the text of docs/README.md
 */
export function sidebarOf(index) {
  const groups = [];
  for (const line of index.split('\n')) {
    const heading = /^## (.+)$/.exec(line);
    if (heading !== null) groups.push({ text: heading[1], collapsed: groups.length > 0, items: [] });
    const link = /^- \[([^\]]+)\]\((?!\.\.\/)([^)#]+)\.md\)/.exec(line);
    if (link !== null)
      groups.at(-1)?.items.push({ text: link[1], link: `/${link[2].replace(/README$/, '')}` });
  }
  return groups;
}

/**
 * Returns the page of the screenshots.
 *
 * @param {readonly { file: string, caption: string }[]} pictures
 */
export function screenshotsPage(pictures) {
  const parts = pictures.map(({ file, caption }) => `## ${caption}\n\n![${caption}](./images/${file})\n`);
  return `# Screenshots\n\nThe tests of the pages made these pictures, with real jobs and workers.\n\n${parts.join('\n')}`;
}

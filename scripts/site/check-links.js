/** Checks the links of a folder of HTML files. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const decoded = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'));

/** Returns the values of an attribute. */
const valuesOf = (html, attribute) =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value]) => decoded(value));

/**
 * Returns links and pictures that lead to no file of the folder, or to no element of a page, as `page: link`, and the number of links that
 * were checked. Links to other sites are not followed.
 *
 * @param {string} folder
 * @param {string} base path at which the folder is served, with slashes at both ends
 * @returns {{ dead: string[], checked: number }}
 */
export function checkLinks(folder, base) {
  const pages = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('.html'));
  const texts = new Map(pages.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
  const ids = new Map([...texts].map(([path, html]) => [path, new Set(valuesOf(html, 'id'))]));
  const dead = [];
  let checked = 0;
  for (const [path, html] of texts) {
    for (const link of [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]) {
      if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('//')) continue;
      checked++;
      const [target = '', anchor] = link.split('#');
      const plain = target.split('?')[0] ?? '';
      const absolute = plain.startsWith(base) ? plain.slice(base.length) : null;
      if (plain.startsWith('/') && absolute === null) {
        dead.push(`${path}: ${link}`);
        continue;
      }
      let file = plain === '' ? path : (absolute ?? relative(folder, join(folder, dirname(path), plain)));
      if (file === '' || (existsSync(join(folder, file)) && statSync(join(folder, file)).isDirectory()))
        file = join(file, 'index.html');
      if (!existsSync(join(folder, file))) file = `${file}.html`;
      const isDead =
        !existsSync(join(folder, file)) ||
        (anchor !== undefined && anchor !== '' && ids.has(file) && !ids.get(file).has(anchor));
      if (isDead) dead.push(`${path}: ${link}`);
    }
  }
  return { dead, checked };
}

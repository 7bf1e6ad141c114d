import { test } from 'tap';
import { contentOf } from '../tidy/project-files.ts';

/** Returns all numbers in a result. */
function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Reports whether a measured number is this text after rounding: 15,098 is 15,100, and 6.395 is 6.4. */
function isRounded(measured: number, text: string): boolean {
  const plain = text.replaceAll(',', '');
  const decimals = plain.split('.')[1]?.length ?? 0;
  const zeros = decimals > 0 ? 0 : (/0{0,2}$/.exec(plain)?.[0].length ?? 0);
  const unit = 10 ** (zeros - decimals);
  return Math.abs(measured - Number(plain)) <= unit * 0.5 + 1e-9;
}

test('the figures of the page about sizing are those of the stored results', (t) => {
  const rows = contentOf('docs/sizing.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  let checked = 0;
  for (const cells of rows) {
    const [figure = '', source = ''] = cells.slice(-3);
    const file = /^`([a-z0-9-]+\.json)`$/.exec(source)?.[1];
    if (file === undefined) continue;
    const measured = numbersIn(JSON.parse(contentOf(`bench/results/${file}`)));
    for (const [text] of figure.matchAll(/(?<![a-z\d.,])\d[\d,]*(?:\.\d+)?/g)) {
      t.ok(
        measured.some((number) => isRounded(number, text)),
        `${file} has ${text}`,
      );
      checked++;
    }
  }
  t.ok(checked > 12, `${checked} figures`);
  t.end();
});

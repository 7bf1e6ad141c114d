import tap, { test } from 'tap';
import { hostileReadmes } from '../attack/markdown/hostile-readmes.ts';
import { runReadmes } from '../attack/markdown/markdown-rows.ts';
import { renderReadmes } from '../attack/markdown/readme-page.ts';

tap.setTimeout(240_000);

void test('hostile readmes are shown as text', async (t) => {
  const count = hostileReadmes().length;
  t.ok(count >= 1_500, `${count} readmes`);
  t.same(await runReadmes(count), { tried: count, violations: [] });
});

void test('a readme with every element is within the list of elements', async (t) => {
  const readme = '# a\n\n**b** _c_ `d` [e](https://x.example)\n\n- f\n\n3. g\n\n```\nh\n```\n';
  t.same(await renderReadmes([readme]), []);
});

import { test } from 'tap';
import { markdownText } from '../../../cli/terminal/markdown-text.ts';

const README = `# Nuke render
Renders **all frames** of a _script_ with \`nuke -x\`.
See [the manual](https://x.example/nuke) or [https://y.example](https://y.example).

9. first item of the list
10. second

- a bullet

\`\`\`sh
nuke -x "a  b.nk"
\`\`\`
| a | b |
| 1 | 2 |
`;

void test('a readme is wrapped plain text', async (t) => {
  t.equal(
    markdownText(README, { columns: 30, colors: false }),
    `Nuke render

Renders all frames of a script
with nuke -x. See the manual
(https://x.example/nuke) or
https://y.example.

 9. first item of the list
10. second

- a bullet

    nuke -x "a  b.nk"

| a | b |
| 1 | 2 |
`,
  );
  t.match(
    markdownText(README, { columns: 10, colors: false }),
    /\n 9\. first\n {4}item\n {4}of the\n {4}list\n/,
  );
  t.match(
    markdownText(README, { columns: null, colors: false }),
    'Renders all frames of a script with nuke -x. See the manual (https://x.example/nuke) or https://y.example.\n',
  );
  t.equal(markdownText('', { columns: 80, colors: true }), '');
});

void test('bold and underline are shown only with colors', async (t) => {
  t.equal(
    markdownText('# A b\n**c** _d_', { columns: 80, colors: true }),
    '\u001b[1mA\u001b[22m \u001b[1mb\u001b[22m\n\n\u001b[1mc\u001b[22m \u001b[4md\u001b[24m\n',
  );
});

void test('a readme cannot change the terminal', async (t) => {
  t.equal(
    markdownText(
      'a\u001b[2J\u001b]0;owned\u0007b \u009b31mc\u0000 \u202ed\u2028\te\n```\n\u001b[31mf\u0008\u202e\tg\n```',
      {
        columns: 80,
        colors: true,
      },
    ),
    'ab c \\u202ed\u{fffd} e\n\n    f\\u202e    g\n',
  );
});

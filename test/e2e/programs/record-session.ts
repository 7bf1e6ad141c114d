import { kindOf, type ShownMessage } from '../../kit/protocol-page.ts';
import { recordSession } from '../../kit/recorded-session.ts';

/** Prints the session of docs/worker-protocol.md, as Markdown: each message the first time that something like it is said. */
const seen = new Set<string>();

function isNew({ subject, body }: ShownMessage): boolean {
  const kind = kindOf(subject, body);
  const said = ['open_attempts', 'closed'].map((name) => JSON.stringify(body[name] ?? ''));
  const isPresence = kind.startsWith('worker.heartbeat') || kind.startsWith('answer alive');
  const key = isPresence ? [kind, ...said].join(' ') : kind;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

for (const message of (await recordSession()).filter(isNew)) {
  const mark = message.from === 'worker' ? '>' : '<';
  console.log(`\`\`\`json\n${mark} ${message.subject}\n${JSON.stringify(message.body, null, 2)}\n\`\`\`\n`);
}

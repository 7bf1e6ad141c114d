import { kindOf, type ShownMessage } from '../../kit/protocol-page.ts';
import { recordSession } from '../../kit/recorded-session.ts';

/** Prints the session for docs/worker-protocol.md as Markdown: the first message of each kind. */
const seen = new Set<string>();

/** Messages of these kinds are distinguished by their lists of attempts. */
const KINDS_WITH_LISTS = new Set([
  'worker.heartbeat heartbeat',
  'answer alive',
  'work.lease',
  'answer leases',
]);
const LISTS = ['open_attempts', 'closed', 'reports', 'confirmed'] as const;

function isNew({ subject, body }: ShownMessage): boolean {
  const kind = kindOf(subject, body);
  const said = LISTS.map((name) => JSON.stringify(body[name] ?? ''));
  const key = KINDS_WITH_LISTS.has(kind) ? [kind, ...said].join(' ') : kind;
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

for (const message of (await recordSession()).filter(isNew)) {
  const mark = message.from === 'worker' ? '>' : '<';
  console.log(`\`\`\`json\n${mark} ${message.subject}\n${JSON.stringify(message.body, null, 2)}\n\`\`\`\n`);
}

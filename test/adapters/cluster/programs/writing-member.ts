import { LogMember, noise } from '../../../kit/log-members.ts';
import { until } from '../../../kit/until.ts';

/**
 * A node in a process of its own, which a test can pause and kill. Arguments: name, port of a server. As owner, it writes a
 * row at a time. It reports what happens, and each row that was accepted, and ends like a node that is fenced.
 */
export type Report =
  | { readonly type: 'owns' }
  | { readonly type: 'accepted'; readonly key: string }
  | { readonly type: 'ended'; readonly reason: string };

const ROW_BYTES = 100;

const report = (message: Report): void => {
  process.send?.(message);
};

const [name = '', port = ''] = process.argv.slice(2);
const member = await LogMember.open(name, { servers: [`127.0.0.1:${port}`], isTls: false });

await until('the node owns the log', () => member.isOwner());
report({ type: 'owns' });
while (member.ended === null) {
  const number = member.write({ [`${name} ${member.accepted.length}`]: noise(ROW_BYTES) });
  await until('the row is accepted', () => member.ended !== null || member.accepted.includes(number));
  if (member.accepted.includes(number)) report({ type: 'accepted', key: `${name} ${number - 1}` });
}
report({ type: 'ended', reason: member.ended.reason });
await member.close();
process.disconnect();

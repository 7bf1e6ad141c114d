import { handOverAnswer, readHandOver } from '../nats/hand-over.ts';
import { clusterNames } from '../nats/log/cluster-names.ts';
import type { LogStream } from '../nats/log/log-stream.ts';

export interface HandOverParts {
  readonly stream: LogStream;
  readonly cluster: string;
  readonly isOwner: () => boolean;
  /** Returns who can get the log; rejects with why nobody can. */
  readonly successorFor: (node: string | null) => Promise<string>;
  readonly handOver: (node: string) => Promise<void>;
  readonly warned: (text: string) => void;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Answers requests to hand the log over (`callsheet cluster hand-over`), while this node is the owner, and does it. */
export function serveHandOver(parts: HandOverParts): void {
  parts.stream.messages.listen(clusterNames(parts.cluster).handOver, (data, answer) => {
    if (!parts.isOwner()) return;
    const reply = (isAccepted: boolean, line: string): void =>
      answer(Buffer.from(handOverAnswer(isAccepted, line), 'utf8'));
    const request = readHandOver(data);
    if ('fault' in request) reply(false, `the request cannot be read: ${request.fault}`);
    else void start(parts, request.to, reply);
  });
}

async function start(
  { successorFor, handOver, warned }: HandOverParts,
  to: string | null,
  reply: (isAccepted: boolean, line: string) => void,
): Promise<void> {
  let successor: string;
  try {
    successor = await successorFor(to);
  } catch (error) {
    reply(false, textOf(error));
    return;
  }
  reply(true, `node ${successor} takes over`);
  try {
    await handOver(successor);
  } catch (error) {
    warned(textOf(error));
  }
}

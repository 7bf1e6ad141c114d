import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import type { Cut, Line, Network } from './lines.ts';

/** An unused address: packets for it are dropped. */
const UNUSED_ADDRESS = '02:00:00:00:00:99';

const ip = (...args: readonly string[]): string =>
  execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Reports whether this process may create network namespaces. */
export function namespacesWork(): boolean {
  const name = `cs-try-${process.pid}`;
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return true;
  } catch {
    return false;
  }
}

/**
 * A network namespace for each worker, connected to this one by a pair of virtual interfaces. A direction is cut by
 * setting a wrong hardware address for the neighbor on that side: its packets are sent, but not received. Connections
 * stay open at both ends, as with an unplugged cable.
 */
export class NamespaceNetwork implements Network {
  readonly kind = 'network namespaces';
  readonly busAddress: string;
  private readonly busIp: string;
  private readonly prefix: string;
  private readonly id = randomInt(0x10000).toString(16);
  private lines = 0;
  private readonly undo: (readonly string[])[] = [];

  constructor(busPort: number) {
    this.prefix = `10.${200 + randomInt(50)}.${randomInt(256)}`;
    this.busIp = `${this.prefix}.1`;
    this.busAddress = `${this.busIp}:${busPort}`;
    this.make(
      ['addr', 'add', `${this.busIp}/32`, 'dev', 'lo'],
      ['addr', 'del', `${this.busIp}/32`, 'dev', 'lo'],
    );
    process.once('exit', this.remove);
  }

  async line(): Promise<Line> {
    const index = this.lines++;
    const name = `cs${this.id}-${index}`;
    const [here, there] = [`${name}a`, `${name}b`];
    const [hereIp, thereIp] = [`${this.prefix}.${4 * index + 5}`, `${this.prefix}.${4 * index + 6}`];
    this.make(['netns', 'add', name], ['netns', 'del', name]);
    this.make(['link', 'add', here, 'type', 'veth', 'peer', 'name', there], ['link', 'del', here]);
    ip('link', 'set', there, 'netns', name);
    ip('addr', 'add', `${hereIp}/30`, 'dev', here);
    ip('link', 'set', here, 'up');
    ip('-n', name, 'addr', 'add', `${thereIp}/30`, 'dev', there);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'link', 'set', there, 'up');
    ip('-n', name, 'route', 'add', this.busIp, 'via', hereIp);
    const lose = (namespace: readonly string[], neighbour: string, card: string): void => {
      ip(
        ...namespace,
        'neigh',
        'replace',
        neighbour,
        'lladdr',
        UNUSED_ADDRESS,
        'dev',
        card,
        'nud',
        'permanent',
      );
    };
    const find = (namespace: readonly string[], neighbour: string, card: string): void => {
      ip(
        ...namespace,
        'neigh',
        'replace',
        neighbour,
        'lladdr',
        cardAddress(namespace.length > 0 ? here : [name, there]),
        'dev',
        card,
        'nud',
        'reachable',
      );
    };
    return {
      busUrl: `nats://${this.busAddress}`,
      launcher: ['ip', 'netns', 'exec', name],
      cut: (direction: Cut) => {
        if (direction !== 'from-bus') lose(['-n', name], hereIp, there);
        if (direction !== 'to-bus') lose([], thereIp, here);
      },
      heal: () => {
        find(['-n', name], hereIp, there);
        find([], thereIp, here);
      },
    };
  }

  async close(): Promise<void> {
    process.off('exit', this.remove);
    this.remove();
  }

  private make(command: readonly string[], undo: readonly string[]): void {
    ip(...command);
    this.undo.push(undo);
  }

  private readonly remove = (): void => {
    for (const command of this.undo.splice(0).reverse()) {
      try {
        ip(...command);
      } catch {
        // Already removed: deleting one interface of a pair deletes the other, and deleting a namespace deletes its
        // interfaces.
      }
    }
  };
}

/** Returns the hardware address of an interface, in this namespace or in a named one. */
function cardAddress(card: string | readonly [namespace: string, card: string]): string {
  const [namespace, name] = typeof card === 'string' ? [[], card] : [['-n', card[0]], card[1]];
  const address = /link\/ether (\S+)/.exec(ip(...namespace, 'link', 'show', name))?.[1];
  if (address === undefined) throw new Error(`the interface ${name} has no address`);
  return address;
}

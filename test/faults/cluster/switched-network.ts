import { command } from './commands.ts';

/** Packets for this address reach no card. */
const UNUSED_ADDRESS = '02:00:00:00:00:99';
const BRIDGE = 'switch';
const CARD = 'eth0';
const PREFIX = '10.77.0';

/** A machine of the network: a namespace with one card, connected to the switch. */
export interface Host {
  readonly namespace: string;
  readonly ip: string;
  /** Program and arguments that execute the command after them on this machine. */
  readonly launcher: readonly [string, ...string[]];
}

/**
 * A switch (a bridge in the namespace of this process) with machines (namespaces) on it. Each one reaches all others, and this
 * process reaches all. Lost packets leave connections open at both ends, as unplugged cables do.
 */
export class SwitchedNetwork {
  readonly ip = `${PREFIX}.1`;
  #hosts = 0;

  constructor() {
    command('ip', 'link', 'add', BRIDGE, 'type', 'bridge');
    command('ip', 'addr', 'add', `${this.ip}/24`, 'dev', BRIDGE);
    command('ip', 'link', 'set', BRIDGE, 'up');
  }

  add(namespace: string): Host {
    const ip = `${PREFIX}.${10 + this.#hosts++}`;
    command('ip', 'netns', 'add', namespace);
    command('ip', 'link', 'add', portOf(namespace), 'type', 'veth', 'peer', 'name', CARD, 'netns', namespace);
    command('ip', 'link', 'set', portOf(namespace), 'master', BRIDGE, 'up');
    command('ip', '-n', namespace, 'addr', 'add', `${ip}/24`, 'dev', CARD);
    command('ip', '-n', namespace, 'link', 'set', 'lo', 'up');
    command('ip', '-n', namespace, 'link', 'set', CARD, 'up');
    return { namespace, ip, launcher: ['nsenter', `--net=/run/netns/${namespace}`] };
  }

  /** Loses all packets from one machine to another. The other direction stays as it is. */
  cut(from: Host, to: Host): void {
    command(
      ...(['ip', '-n', from.namespace, 'neigh', 'replace', to.ip, 'lladdr', UNUSED_ADDRESS] as const),
      ...(['dev', CARD, 'nud', 'permanent'] as const),
    );
  }

  /** Ends a `cut`; without one, does nothing. */
  join(from: Host, to: Host): void {
    if (!command('ip', '-n', from.namespace, 'neigh', 'show', to.ip).includes('PERMANENT')) return;
    command('ip', '-n', from.namespace, 'neigh', 'del', to.ip, 'dev', CARD);
  }

  /** Unplugs a machine from the switch: it reaches no other machine. */
  unplug({ namespace }: Host): void {
    command('ip', 'link', 'set', portOf(namespace), 'down');
  }

  plug({ namespace }: Host): void {
    command('ip', 'link', 'set', portOf(namespace), 'up');
  }
}

const portOf = (namespace: string): string => `port-${namespace}`;

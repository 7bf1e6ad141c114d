import bonjour from 'bonjour-service';
import { GuardedSocket } from './guarded-socket.ts';
import { MDNS_LIMITS } from './limits.ts';

export interface MdnsOptions {
  /** IPv4 addresses of the interfaces; empty means all. */
  readonly interfaces: readonly string[];
  /** Called once for each problem. */
  readonly complain: (text: string, reason: string) => void;
}

/** The mDNS library on a guarded socket. */
export interface Mdns {
  readonly library: bonjour;
  readonly socket: GuardedSocket;
}

export function openMdns({ interfaces, complain }: MdnsOptions): Mdns {
  const socket = new GuardedSocket(complain);
  // The options of the underlying library, which takes the socket, are not in the types of this one.
  const options = {
    port: MDNS_LIMITS.port,
    socket,
    ...(interfaces.length > 0 ? { interface: [...interfaces] } : {}),
  };
  const library = new bonjour(options, (error: unknown) => {
    complain('mDNS', error instanceof Error ? error.message : String(error));
  });
  return { library, socket };
}

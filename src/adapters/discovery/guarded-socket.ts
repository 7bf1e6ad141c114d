import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { TokenBucket } from '../../core/rate-limit/token-bucket.ts';
import { MDNS_LIMITS } from './limits.ts';

type Sent = (error: Error | null) => void;

/**
 * The socket of the mDNS library, which protects the library from the network. It drops packets that cannot be mDNS or
 * that exceed the rate limit. An error that the library throws for a packet drops only that packet. The socket never
 * emits `error`, on which the library would throw: it retries a port that is in use, and reports it with `complain`.
 *
 * One socket receives from all interfaces. Each interface has a socket for sending, so that packets reach all networks
 * of the host.
 */
export class GuardedSocket extends EventEmitter {
  private readonly complain: (text: string, reason: string) => void;
  private readonly receiver: Socket;
  private readonly senders = new Map<string, Socket>();
  private readonly received = new TokenBucket(MDNS_LIMITS.received, performance.now());
  private readonly sent = new TokenBucket(MDNS_LIMITS.sent, performance.now());
  private readonly reported = new Set<string>();
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(complain: (text: string, reason: string) => void) {
    super();
    this.complain = complain;
    this.receiver = createSocket({ type: 'udp4', reuseAddr: true });
    this.receiver.on('message', (data, from) => this.onPacket(data, from));
    this.receiver.on('error', (error) => this.onFault('mDNS cannot receive', error));
  }

  /** Binds to the port on all interfaces, and retries until it succeeds. */
  bind(port: number, _address: string, done: () => void): void {
    const failed = (error: Error): void => {
      this.onFault('mDNS cannot receive', error);
      if (this.isClosed) return;
      this.retry = setTimeout(() => this.bind(port, _address, done), MDNS_LIMITS.bindRetryMs);
      this.retry.unref();
    };
    this.receiver.once('error', failed);
    this.receiver.bind({ port, address: '0.0.0.0', exclusive: false }, () => {
      this.receiver.removeListener('error', failed);
      if (this.isClosed) return;
      this.emit('listening');
      done();
    });
  }

  addMembership(group: string, address: string): void {
    if (this.isClosed) return;
    this.receiver.addMembership(group, address);
    const sender = createSocket({ type: 'udp4', reuseAddr: true });
    sender.on('error', (error) => this.onFault(`mDNS cannot send on ${address}`, error));
    sender.bind({ port: MDNS_LIMITS.port, address, exclusive: false }, () => {
      if (this.isClosed) {
        sender.close();
        return;
      }
      try {
        sender.setMulticastInterface(address);
        sender.setMulticastTTL(255);
        sender.setMulticastLoopback(true);
      } catch (error) {
        this.onFault(`mDNS cannot send on ${address}`, error);
        sender.close();
        return;
      }
      this.senders.set(address, sender);
      this.emit('ready');
    });
  }

  dropMembership(group: string, address: string): void {
    this.receiver.dropMembership(group, address);
  }

  /** Sends the packet on every interface. `done` is called once it is sent or dropped. */
  send(data: Buffer, offset: number, length: number, port: number, address: string, done: Sent): void {
    if (this.isClosed || !this.sent.take(performance.now())) {
      done(null);
      return;
    }
    let waiting = this.senders.size;
    if (waiting === 0) done(null);
    for (const sender of this.senders.values()) {
      sender.send(data, offset, length, port, address, (error) => {
        if (error !== null) this.onFault('mDNS cannot send', error);
        waiting--;
        if (waiting === 0) done(null);
      });
    }
  }

  /** Resolves once packets can be sent, or at the close. */
  untilReady(): Promise<void> {
    if (this.isClosed || this.senders.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.once('ready', resolve);
      this.once('close', resolve);
    });
  }

  close(done?: () => void): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.retry);
    for (const sender of this.senders.values()) sender.close();
    this.senders.clear();
    this.receiver.close(() => {
      this.emit('close');
      done?.();
    });
  }

  /** Set for each interface separately. */
  setMulticastTTL(): void {}
  setMulticastLoopback(): void {}

  private onPacket(data: Buffer, from: RemoteInfo): void {
    if (!mayBePacket(data) || !this.received.take(performance.now())) return;
    try {
      this.emit('message', data, from);
    } catch (error) {
      this.onFault('a packet of mDNS was dropped', error);
    }
  }

  /** Reports each fault once: an unreachable network would repeat it for hours. */
  private onFault(text: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.isClosed || this.reported.has(text)) return;
    this.reported.add(text);
    this.complain(text, reason);
  }
}

/** Checks the header of a DNS message: its length, and its numbers of questions and records. */
function mayBePacket(data: Buffer): boolean {
  const { headerBytes, packetBytesMax, questionsMax, recordsMax } = MDNS_LIMITS;
  if (data.length < headerBytes || data.length > packetBytesMax) return false;
  const records = data.readUInt16BE(6) + data.readUInt16BE(8) + data.readUInt16BE(10);
  return data.readUInt16BE(4) <= questionsMax && records <= recordsMax;
}

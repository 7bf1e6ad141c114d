import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { EventEmitter } from 'node:events';
import { TokenBucket } from '../../core/diagnostics/token-bucket.ts';
import { MDNS_LIMITS } from './limits.ts';

type Sent = (error: Error | null) => void;

/**
 * The socket that the mDNS library works with. It stands between the library and the network: packets that cannot be mDNS, or that
 * are too many, do not reach it, and what it throws over a packet ends with the packet. It never emits `error`, which
 * the library would throw on: a port that cannot be had is tried again, and `complain` says so.
 *
 * One socket hears all interfaces; each interface has one of its own to send from, so that a host in several networks is
 * heard in all of them.
 */
export class GuardedSocket extends EventEmitter {
  private readonly complain: (text: string, reason: string) => void;
  private readonly ear: Socket;
  private readonly mouths = new Map<string, Socket>();
  private readonly heard = new TokenBucket(
    MDNS_LIMITS.heard.burst,
    MDNS_LIMITS.heard.perSecond,
    performance.now(),
  );
  private readonly sent = new TokenBucket(
    MDNS_LIMITS.sent.burst,
    MDNS_LIMITS.sent.perSecond,
    performance.now(),
  );
  private readonly complained = new Set<string>();
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(complain: (text: string, reason: string) => void) {
    super();
    this.complain = complain;
    this.ear = createSocket({ type: 'udp4', reuseAddr: true });
    this.ear.on('message', (data, from) => this.onPacket(data, from));
    this.ear.on('error', (error) => this.onFault('mDNS cannot be heard', error));
  }

  /** Listens on all interfaces at the port; again and again until it can. */
  bind(port: number, _address: string, done: () => void): void {
    const failed = (error: Error): void => {
      this.onFault('mDNS cannot be heard', error);
      if (this.isClosed) return;
      this.retry = setTimeout(() => this.bind(port, _address, done), MDNS_LIMITS.bindRetryMs);
      this.retry.unref();
    };
    this.ear.once('error', failed);
    this.ear.bind({ port, address: '0.0.0.0', exclusive: false }, () => {
      this.ear.removeListener('error', failed);
      if (this.isClosed) return;
      this.emit('listening');
      done();
    });
  }

  addMembership(group: string, address: string): void {
    if (this.isClosed) return;
    this.ear.addMembership(group, address);
    const mouth = createSocket({ type: 'udp4', reuseAddr: true });
    mouth.on('error', (error) => this.onFault(`mDNS cannot be said on ${address}`, error));
    mouth.bind({ port: MDNS_LIMITS.port, address, exclusive: false }, () => {
      if (this.isClosed) {
        mouth.close();
        return;
      }
      try {
        mouth.setMulticastInterface(address);
        mouth.setMulticastTTL(255);
        mouth.setMulticastLoopback(true);
      } catch (error) {
        this.onFault(`mDNS cannot be said on ${address}`, error);
        mouth.close();
        return;
      }
      this.mouths.set(address, mouth);
      this.emit('speaking');
    });
  }

  dropMembership(group: string, address: string): void {
    this.ear.dropMembership(group, address);
  }

  /** Says the packet on every interface. `done` is called once it is said, or dropped. */
  send(data: Buffer, offset: number, length: number, port: number, address: string, done: Sent): void {
    if (this.isClosed || !this.sent.take(performance.now())) {
      done(null);
      return;
    }
    let waiting = this.mouths.size;
    if (waiting === 0) done(null);
    for (const mouth of this.mouths.values()) {
      mouth.send(data, offset, length, port, address, (error) => {
        if (error !== null) this.onFault('mDNS cannot be said', error);
        waiting--;
        if (waiting === 0) done(null);
      });
    }
  }

  /** Resolves once something can be said, or at the end. */
  untilSpeaking(): Promise<void> {
    if (this.isClosed || this.mouths.size > 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.once('speaking', resolve);
      this.once('close', resolve);
    });
  }

  close(done?: () => void): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.retry);
    for (const mouth of this.mouths.values()) mouth.close();
    this.mouths.clear();
    this.ear.close(() => {
      this.emit('close');
      done?.();
    });
  }

  /** Set for each interface by itself. */
  setMulticastTTL(): void {}
  setMulticastLoopback(): void {}

  private onPacket(data: Buffer, from: RemoteInfo): void {
    if (!mayBePacket(data) || !this.heard.take(performance.now())) return;
    try {
      this.emit('message', data, from);
    } catch (error) {
      this.onFault('a packet of mDNS was dropped', error);
    }
  }

  /** Each fault is told once: a network that is away says the same for hours. */
  private onFault(text: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.isClosed || this.complained.has(text)) return;
    this.complained.add(text);
    this.complain(text, reason);
  }
}

/** The header of a DNS message: its length and how many questions and records it says it has. */
function mayBePacket(data: Buffer): boolean {
  const { headerBytes, packetBytesMax, questionsMax, recordsMax } = MDNS_LIMITS;
  if (data.length < headerBytes || data.length > packetBytesMax) return false;
  const records = data.readUInt16BE(6) + data.readUInt16BE(8) + data.readUInt16BE(10);
  return data.readUInt16BE(4) <= questionsMax && records <= recordsMax;
}

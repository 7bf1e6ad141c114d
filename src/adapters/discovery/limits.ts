const SECOND_MS = 1000;

/** Limits of mDNS. Any host in the network may send any packets at any rate. */
export const MDNS_LIMITS = {
  port: 5353,
  group: '224.0.0.251',
  /** RFC 6762, 17: the maximum length of a message. */
  packetBytesMax: 9000,
  headerBytes: 12,
  /** Questions and records of one packet: one question asks for a service, and a few records describe it. */
  questionsMax: 32,
  recordsMax: 256,
  /** Packets that are processed and that are sent: further ones are dropped. */
  received: { burst: 200, rps: 100 },
  sent: { burst: 40, rps: 20 },
  /** Delay before a bind is retried. */
  bindRetryMs: 10 * SECOND_MS,
  /** Maximum number of services in a search: more are an attack, and the list is cleared. */
  servicesMax: 256,
  /** Delay between two queries of a search: doubled each time, half of it random. */
  askMsMin: SECOND_MS,
  askMsMax: 30 * SECOND_MS,
  /** Maximum time of a service's farewell. */
  farewellMs: SECOND_MS,
} as const;

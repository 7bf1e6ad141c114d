const SECOND_MS = 1000;

/** Limits of speaking mDNS: whoever is in the network may send anything, as often as they like. */
export const MDNS_LIMITS = {
  port: 5353,
  group: '224.0.0.251',
  /** RFC 6762, 17: no message is longer. */
  packetBytesMax: 9000,
  headerBytes: 12,
  /** Questions and records of one packet: a service is asked for by one question and described by a few records. */
  questionsMax: 32,
  recordsMax: 256,
  /** Packets that are looked at, and that are sent: the rest is dropped. */
  heard: { burst: 200, perSecond: 100 },
  sent: { burst: 40, perSecond: 20 },
  /** How often a port that cannot be had is tried again. */
  bindRetryMs: 10 * SECOND_MS,
  /** Services that a search remembers at once: more are no farm but an attack, and it begins anew. */
  servicesMax: 256,
  /** Between two questions of a search: doubled each time, half of it left to chance. */
  askMsMin: SECOND_MS,
  askMsMax: 30 * SECOND_MS,
  /** How long the farewell of a service may take. */
  farewellMs: SECOND_MS,
} as const;

/** Request of a client that led to a message. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Id of the account that sent the request. */
  readonly principal: string;
}

/** Cause of a unit of work: the message from outside with which it began. */
export interface WorkCause {
  /** Kind of the message. */
  readonly kind: string;
  /** Id of the first attempt that the message reports, otherwise of the actor that received it. */
  readonly id: string;
  /** Id of the request that led to the message; empty if none did. */
  readonly requestId: string;
  /** Id of the account or the worker that sent the request or the message; empty if the service itself did. */
  readonly principal: string;
}

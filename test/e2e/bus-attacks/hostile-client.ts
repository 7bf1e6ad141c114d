import { PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';

type Operation = 'publish' | 'subscribe';

/** A connection of a hostile program that records which subjects the server refuses. */
export class HostileClient {
  readonly nc: NatsConnection;
  private readonly refused = { publish: new Set<string>(), subscribe: new Set<string>() };

  constructor(nc: NatsConnection) {
    this.nc = nc;
    void this.hear();
  }

  /** Publishes to or subscribes to each subject, and returns those that the server has let pass. */
  async permitted(operation: Operation, subjects: readonly string[]): Promise<readonly string[]> {
    for (const subject of subjects)
      if (operation === 'publish') this.nc.publish(subject, '{}');
      else this.nc.subscribe(subject, { callback: () => undefined });
    // The server reports the errors of a connection before it answers; the second answer finds them recorded.
    await this.nc.flush();
    await this.nc.flush();
    return subjects.filter((subject) => !this.refused[operation].has(subject));
  }

  /** Publishes JSON. */
  say(subject: string, message: object, reply = ''): void {
    this.nc.publish(subject, JSON.stringify(message), reply === '' ? {} : { reply });
  }

  private async hear(): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      const { operation, subject } = status.error;
      this.refused[operation === 'publish' ? 'publish' : 'subscribe'].add(subject);
    }
  }
}

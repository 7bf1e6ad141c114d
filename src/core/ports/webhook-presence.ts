/**
 * Whether any webhook exists, as every shard sees it at once. Without one, events are not stored for webhooks.
 */
export interface WebhookPresence {
  any(): boolean;
  set(any: boolean): void;
}
